import { createScimServer, registerIdentityProvider } from '@mintmark/scim'
import { createSqlStorage } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { expect, onTestFinished, test } from 'vitest'

const issuer = 'https://as.test'

test.each([
  {
    path: '/Users',
    schema: 'User',
    sorted: ['title', 'displayName', 'emails', 'emails.type', 'externalId', 'name.givenName', 'active'],
    also: 'users also',
  },
  { path: '/Groups', schema: 'Group', sorted: ['externalId'], also: 'groups also' },
])(
  'a refusal to sort $path names attributes by which any number of resources can be sorted (RFC 7644 §3.12)',
  async ({ path, schema, sorted, also }) => {
    const send = await startSmallScim()
    for (const name of ['kim', 'lou'])
      await send(path, {
        schemas: [`urn:ietf:params:scim:schemas:core:2.0:${schema}`],
        userName: name,
        displayName: name,
      })

    const refused = await Promise.all(sorted.map((name) => send(`${path}?sortBy=${name}`)))
    for (const reply of refused) expect(reply).toMatchObject({ status: 400, body: { scimType: 'tooMany' } })

    const [, ofAll = '', rest = ''] = /sort by (.*?); (.*)\.$/.exec(String(refused[0]?.body['detail'])) ?? []
    const ofType = rest.split('; ').find((part) => part.startsWith(also)) ?? ''
    const names = `${ofAll}, ${ofType}`.match(/\b(?:id|meta\.\w+|userName|externalId|displayName|name\.\w+)\b/g)
    const supported = names ?? []
    expect(supported.length).toBeGreaterThanOrEqual(4)
    for (const name of supported)
      expect({ name, ...(await send(`${path}?sortBy=${name}`)) }).toMatchObject({
        status: 200,
        body: { totalResults: 2 },
      })
  },
)

/** Starts a server whose searches may read one resource without an index. Returns a function that sends requests to it. */
async function startSmallScim() {
  const dialect = openSqliteDialect(':memory:', { migrate: 'on-open' })
  onTestFinished(() => dialect.close())
  const storage = await createSqlStorage({ dialect, issuer, scanLimit: 1 })
  const { secret } = await registerIdentityProvider({ providerId: 'T1' }, { storage })
  const server = createScimServer({ issuer, storage })
  return async (path: string, body?: object) => {
    const response = await server.handle({
      method: body === undefined ? 'GET' : 'POST',
      url: new URL(`${issuer}/scim/v2/enterprise-idps/T1${path}`),
      headers: new Map([
        ['authorization', `Bearer ${secret}`],
        ['content-type', 'application/scim+json'],
      ]),
      repeatedHeaders: new Set(),
      host: undefined,
      body: new TextEncoder().encode(body === undefined ? '' : JSON.stringify(body)),
    })
    return { status: response.status, body: JSON.parse(String(response.body)) as Readonly<Record<string, unknown>> }
  }
}
