import { expect, it } from 'vitest'

import {
  expectRefused,
  startAdminServer,
  type AdminSent,
  type AdminServerUnderTest,
} from './admin-server-under-test.ts'

const app = { client_id: 'app', client_name: 'App', redirect_uris: ['https://app.test/cb'] }

const writes: readonly (AdminSent & {
  readonly method: string
  readonly body: object
  readonly own?: readonly string[]
})[] = [
  { method: 'POST', path: '/clients', body: { client_name: 'New', grant_types: [] }, own: ['client_id'] },
  { method: 'PATCH', path: '/clients/app', body: { client_name: 'Changed' } },
  { method: 'POST', path: '/clients/app/secrets', body: {} },
  { method: 'POST', path: '/identity-providers', body: { provider_id: 'new' }, own: ['provider_id'] },
  { method: 'PATCH', path: '/identity-providers/corp', body: { display_name: 'Changed' } },
  { method: 'POST', path: '/identity-providers/corp/secrets', body: {} },
  { method: 'POST', path: '/identity-providers/corp/setup-link', body: {} },
  { method: 'POST', path: '/users', body: {}, own: ['user_id'] },
  { method: 'PATCH', path: '/users/ann', body: { claims: { name: 'Changed' } } },
  { method: 'POST', path: '/organizations', body: { display_name: 'New' }, own: ['organization_id'] },
  { method: 'PATCH', path: '/organizations/acme', body: { display_name: 'Changed' } },
  { method: 'PUT', path: '/organizations/acme/members/ann', body: { roles: ['owner'] } },
]

/**
 * Members that a request must not set: members that the server sets, members of other records, and special names of
 * JavaScript.
 */
const foreign = [
  '',
  ...`
    version created_at createdAt updated_at secrets client_secret secret digest generation active disabled_at disabledAt
    client_id user_id provider_id organization_id issuer deprovisioning setup_link adopted provider actor clientName
    __proto__ constructor toString
  `
    .split(/\s+/)
    .filter((name) => name !== ''),
]

async function startWithRecords(): Promise<AdminServerUnderTest> {
  const system = startAdminServer()
  await system.send({ method: 'POST', path: '/clients', body: app })
  await system.send({ method: 'POST', path: '/identity-providers', body: { provider_id: 'corp' } })
  await system.send({ method: 'POST', path: '/users', body: { user_id: 'ann' } })
  await system.send({ method: 'POST', path: '/organizations', body: { organization_id: 'acme', display_name: 'Acme' } })
  return system
}

it.for(writes)(
  '$method $path rejects members that it does not define (mass assignment)',
  async ({ own = [], ...sent }) => {
    const system = await startWithRecords()

    for (const name of foreign.filter((member) => !own.includes(member))) {
      const members = Object.entries(sent.body).map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)
      const body = `{${[...members, `${JSON.stringify(name)}:{"x":1}`].join(',')}}`
      await expectRefused(system, { ...sent, body }, { status: 400, reason: 'body_invalid' })
    }
    expect(await system.send(sent)).toMatchObject({ status: sent.method === 'POST' ? 201 : 200 })
    expect({}).not.toHaveProperty('x')
  },
)

it('claims of a user do not change other members of the record', async () => {
  const system = await startWithRecords()
  const claims = { active: false, generation: 7, version: 9, createdAt: 0, client: 'x', roles: ['admin'] }

  const reply = await system.send({ method: 'PATCH', path: '/users/ann', body: { claims } })

  expect(reply.body).toMatchObject({ active: true, version: 2, created_at: system.clock.now(), claims })
  for (const name of ['sub', 'iss', 'custom_fields']) {
    await expectRefused(
      system,
      { method: 'PATCH', path: '/users/ann', body: { claims: { [name]: 'x' } } },
      { status: 400, reason: 'claim_reserved' },
    )
  }
  const prototype = { method: 'PATCH', path: '/users/ann', body: '{"claims":{"__proto__":{"admin":true}}}' }
  await expectRefused(system, prototype, { status: 400, reason: 'claim_invalid' })
  expect({}).not.toHaveProperty('admin')
})

it('a secret appears in only one response: not in later responses, events, the log or storage', async () => {
  const system = await startWithRecords()
  const post = async (path: string, body: object, name: string): Promise<string> => {
    const reply = await system.send({ method: 'POST', path, body })
    const { [name]: secret } = reply.body as Record<string, unknown>
    if (typeof secret !== 'string') throw new Error('The response contains no secret.')
    return secret
  }

  const secrets = [
    await post('/clients', { ...app, client_id: 'b' }, 'client_secret'),
    await post('/clients/app/secrets', {}, 'client_secret'),
    await post('/identity-providers', { provider_id: 'new' }, 'secret'),
    await post('/identity-providers/corp/secrets', {}, 'secret'),
  ]

  const later: string[] = []
  for (const path of [
    '/clients',
    '/clients/b',
    '/identity-providers',
    '/identity-providers/new',
    '/identity-providers/new/setup?product=entra',
    '/audit',
  ]) {
    later.push((await system.send({ path })).text)
  }
  later.push(
    (await system.send({ method: 'POST', path: '/clients/b/disable' })).text,
    JSON.stringify(system.events),
    system.dump(),
  )
  later.push(JSON.stringify(await system.storage.logs.list({ log: 'admin', before: undefined, limit: 200 })))
  for (const text of later) for (const secret of secrets) expect(text).not.toContain(secret)
  const digests = [...system.dump().matchAll(/"digest": "([^"]+)"/g)].map(([, digest = '']) => digest)
  expect(digests.length).toBeGreaterThanOrEqual(4)
  for (const digest of digests) expect(JSON.stringify(system.events)).not.toContain(digest)
})

it.each([
  '{"client_name":"Mine","client_name":"Yours"}',
  '{"client_name":"Mine","client_\\u006eame":"Yours"}',
  '{"client_name" : "Mine", "scopes": [], "client_name" : "{\\"a\\":1}"}',
  '{"jwks":{"keys":[{"kty":"EC","kty":"RSA"}]}}',
])('refuses a body with a repeated member: %s (RFC 8259 §4)', async (body) => {
  const system = await startWithRecords()

  await expectRefused(
    system,
    { method: 'PATCH', path: '/clients/app', scopes: 'admin:write', body },
    { status: 400, reason: 'body_malformed' },
  )
})

it('accepts equal names in different objects, and names inside strings (RFC 8259 §4)', async () => {
  const system = await startWithRecords()
  const body = '{"client_name":"{\\"client_name\\":1,\\"client_name\\":2}","jwks":{"keys":[{"kty":"EC"},{"kty":"EC"}]}}'

  expect(await system.send({ method: 'PATCH', path: '/clients/app', scopes: 'admin:write', body })).toMatchObject({
    status: 200,
  })
})
