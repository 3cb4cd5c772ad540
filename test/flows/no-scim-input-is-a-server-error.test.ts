import { createScimServer, oktaRoleResourceType, registerIdentityProvider, type ScimEvent } from '@mintmark/scim'
import type { AdminStorage } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { createSqlStorage } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'

import { deviceType, roles } from '../../packages/scim/test/fixtures/custom-types.ts'
import { aMigratedDatabase } from '../../packages/storage-sql/test/support/postgres-of-the-run.ts'
import { hostileScim, type ScimInput } from '../arbitraries/hostile-scim.ts'
import { ownKeysOfPrototypes, initialKeysOfPrototypes } from '../support/prototypes.ts'
import { rounds } from '../support/rounds.ts'

const issuer = 'https://as.test'

it('law: no SCIM input causes a server error, on memory', async () => {
  await noInputIsAServerError(createMemoryStorage({ issuer }), rounds({ fast: 400, long: 2500 }))
})

it('law: no SCIM input causes a server error, on SQLite', async () => {
  const dialect = openSqliteDialect(':memory:', { migrate: 'on-open' })
  onTestFinished(() => dialect.close())
  await noInputIsAServerError(await createSqlStorage({ issuer, dialect }), rounds({ fast: 400, long: 1200 }))
})

it('law: no SCIM input causes a server error, on PostgreSQL', async () => {
  const database = await aMigratedDatabase()
  onTestFinished(() => database.remove())
  const dialect = toPostgresDialect(database.pool())
  await noInputIsAServerError(await createSqlStorage({ issuer, dialect }), rounds({ fast: 400, long: 800 }))
})

async function noInputIsAServerError(storage: AdminStorage, numRuns: number): Promise<void> {
  const { secret } = await registerIdentityProvider({ providerId: 'acme', toleranceProfile: 'all' }, { storage })
  const failures: ScimEvent[] = []
  const scim = createScimServer({
    issuer,
    storage,
    resourceTypes: [deviceType, { resourceType: oktaRoleResourceType, resources: roles }],
    onEvent: (event) => {
      if (event.type === 'request.refused' && event.cause !== undefined && event.status >= 500) failures.push(event)
    },
  })
  const send = async ({ method, path, headers, body }: ScimInput) =>
    scim.handle({
      method,
      url: new URL(`${issuer}/scim/v2/enterprise-idps/acme${path}`),
      headers: new Map(
        Object.entries({ authorization: `Bearer ${secret}`, 'content-type': 'application/scim+json', ...headers }),
      ),
      repeatedHeaders: new Set(),
      host: undefined,
      body: new TextEncoder().encode(body),
    })
  const answered = new Set<number>()
  const [users, groups, devices] = [
    [await made(send, '/Users')],
    [await made(send, '/Groups')],
    [await made(send, '/Devices')],
  ]

  const law = fc.asyncProperty(hostileScim({ users, groups, devices }), async (input) => {
    const { status, body } = await send(input)

    answered.add(status)
    expect(failures.splice(0)).toEqual([])
    expect(status === 501 ? 0 : status).toBeLessThan(500)
    if (status >= 400) expect(String(body).length).toBeLessThan(4096)
    expect(ownKeysOfPrototypes()).toEqual(initialKeysOfPrototypes)
  })
  await fc.assert(law, { numRuns })

  // The requests reached the endpoints, which answered with all of these statuses. Few requests may not meet the rarer ones.
  const rare = numRuns < 700 ? [] : [201, 204, 405, 409, 412, 415]
  expect([...answered]).toEqual(expect.arrayContaining([200, 400, 404, ...rare]))
}

async function made(send: (input: ScimInput) => Promise<{ readonly body: unknown }>, path: string): Promise<string> {
  const core = `urn:ietf:params:scim:schemas:core:2.0:${path === '/Users' ? 'User' : 'Group'}`
  const schema = path === '/Devices' ? deviceType.schema.id : core
  const names = path === '/Users' ? { userName: 'first' } : { displayName: 'First' }
  const body = JSON.stringify({ schemas: [schema], ...names })
  const answer = await send({ method: 'POST', path, headers: {}, body })
  return (JSON.parse(String(answer.body)) as { readonly id: string }).id
}
