import { clientId } from '@mintmark/storage-interface'
import { expect, it } from 'vitest'

import { adminRoutes } from '../src/http/admin-routes.ts'
import { adminScopes } from '../src/index.ts'
import {
  expectRefused,
  startAdminServer,
  tokenFor,
  type AdminSent,
  type AdminServerUnderTest,
} from './admin-server-under-test.ts'

/** A valid body for each route. */
const bodies: Readonly<Record<string, object>> = {
  'POST /clients': { client_name: 'New', grant_types: [] },
  'PATCH /clients/{client_id}': { client_name: 'Changed' },
  'POST /clients/{client_id}/secrets': {},
  'POST /initial-access-tokens': { display_name: 'New', clients: 1, lifetime: 60, scopes: ['openid'] },
  'POST /identity-providers': { provider_id: 'new' },
  'PATCH /identity-providers/{provider_id}': { display_name: 'Changed' },
  'POST /identity-providers/{provider_id}/secrets': {},
  'POST /identity-providers/{provider_id}/setup-link': {},
  'POST /identity-providers/{provider_id}/deactivate-users': {},
  'POST /users': {},
  'POST /webhooks': { url: 'https://app.test/hooks' },
  'PATCH /webhooks/{webhook_id}': { includes_user: true },
  'POST /webhooks/{webhook_id}/replay': { position: 0 },
  'POST /provisioning-targets': {
    target_id: 'crm',
    display_name: 'CRM',
    base_url: 'https://crm.example',
    credential: { bearer_token: 'secret' },
    includes_host_users: true,
  },
  'PATCH /provisioning-targets/{target_id}': { display_name: 'Changed' },
  'POST /provisioning-targets/{target_id}/replace-credential': { credential: { bearer_token: 'secret' } },
  'POST /user-search': {},
  'POST /user-upserts': { users: [{ user_id: 'kim', claims: { name: 'Kim' } }] },
  'PATCH /users/{user_id}': { claims: { name: 'Changed' } },
  'POST /organizations': { display_name: 'New' },
  'PATCH /organizations/{organization_id}': { display_name: 'Changed' },
  'PUT /organizations/{organization_id}/members/{user_id}': { roles: ['owner'] },
}

const requests = adminRoutes
  .filter(({ area }) => area !== 'any')
  .map((route) => ({ route, name: `${route.method} ${route.path}` }))

function requestFor({ method, path, query }: (typeof adminRoutes)[number], name: string): AdminSent {
  const filled = path
    .replace('{client_id}', 'app')
    .replace('{provider_id}', 'corp')
    .replace('{user_id}', 'ann')
    .replace('{organization_id}', 'acme')
    .replace(/\{(?:delivery|grant|session|webhook|token|target)_id\}/, 'none')
  const { [name]: body } = bodies
  return {
    method,
    path: path.endsWith('/setup') && query !== undefined ? `${filled}?product=okta` : filled,
    ...(body && { body }),
  }
}

const keys = {
  algorithms: ['ES256'],
  deriveSecrets: () => Promise.resolve([new Uint8Array(32)]),
  list: () => Promise.resolve([]),
} as const

async function startWithRecords(options: Parameters<typeof startAdminServer>[0] = {}): Promise<AdminServerUnderTest> {
  const system = startAdminServer({ keys, ...options })
  await system.send({
    method: 'POST',
    path: '/clients',
    body: { client_id: 'app', client_name: 'App', grant_types: [] },
  })
  await system.send({ method: 'POST', path: '/identity-providers', body: { provider_id: 'corp' } })
  await system.send({ method: 'POST', path: '/identity-providers/corp/disable' })
  await system.send({ method: 'POST', path: '/users', body: { user_id: 'ann' } })
  await system.send({ method: 'POST', path: '/organizations', body: { organization_id: 'acme', display_name: 'Acme' } })
  await system.send({ method: 'PUT', path: '/organizations/acme/members/ann', body: { roles: [] } })
  return system
}

it.for(requests)(
  '$name is rejected without a token, with an invalid one, and without its scope (RFC 6750 §3.1)',
  async ({ route, name }) => {
    const system = await startWithRecords()
    const { area, access } = route
    const request = requestFor(route, name)
    const others = Object.keys(adminScopes).filter(
      (scope) => !scope.startsWith(`admin:${area}:`) && scope !== 'admin:read' && scope !== 'admin:write',
    )
    const tooWeak = access === 'write' ? [`admin:${area}:read`, 'admin:read'] : []

    const bare = await expectRefused(
      system,
      { ...request, scopes: undefined },
      { status: 401, reason: 'credentials_missing' },
    )
    expect(bare.headers.get('www-authenticate')).toBe('Bearer realm="admin"')
    for (const authorization of [
      'Bearer wrong',
      'Basic eDp5',
      'Bearer',
      'x',
      `Bearer ${tokenFor('ops', 'admin:write')}, Bearer x`,
    ]) {
      const wrong = await expectRefused(
        system,
        { ...request, headers: { authorization } },
        { status: 401, reason: 'credentials_invalid' },
      )
      expect(wrong.headers.get('www-authenticate')).toBe('Bearer realm="admin", error="invalid_token"')
    }
    for (const scopes of [
      '',
      'openid profile scim',
      'ADMIN:WRITE',
      'admin',
      `admin:${area}`,
      others.join(' '),
      ...tooWeak,
    ]) {
      const weak = await expectRefused(system, { ...request, scopes }, { status: 403, reason: 'scope_missing' })
      expect(weak.headers.get('www-authenticate')).toBe(
        `Bearer realm="admin", error="insufficient_scope", scope="admin:${area}:${access}"`,
      )
    }
  },
)

it.for(requests)('$name accepts the narrowest scope and every scope that includes it', async ({ route, name }) => {
  const { area, access } = route
  const enough = [
    `admin:${area}:${access}`,
    `admin:${access}`,
    ...(access === 'read' && area !== 'audit' && area !== 'keys' ? [`admin:${area}:write`, 'admin:write'] : []),
  ]

  for (const scopes of enough) {
    const { status, body } = await (await startWithRecords()).send({ ...requestFor(route, name), scopes })
    expect({ scopes, code: body?.['code'], isAnswered: status < 300 || status === 404 }).toMatchObject({
      isAnswered: true,
    })
    if (status === 404)
      expect(name).toMatch(
        /(?:(?:delivery|grant|session|token)_id\}(?:$|\/requeue$)|\/webhooks\/|\/provisioning-targets\/)/,
      )
  }
})

it.for(requests)(
  '$name rejects a user who is not an administrator, whatever the scope (RFC 9700 §2.3)',
  async ({ route, name }) => {
    const system = await startWithRecords()
    const headers = { authorization: `Bearer ${tokenFor('ann', 'admin:write admin:read', 'app')}` }

    await expectRefused(
      system,
      { ...requestFor(route, name), headers },
      { status: 403, reason: 'not_an_administrator' },
    )
  },
)

it('accepts a user whom the host names as administrator, as the actor, and no other user', async () => {
  const system = await startWithRecords({ administrators: async (subject) => subject === 'ann' })
  const headers = (subject: string) => ({ authorization: `Bearer ${tokenFor(subject, 'admin:clients:write', 'app')}` })

  const request = { method: 'POST', path: '/clients/app/disable' }
  expect(await system.send({ ...request, headers: headers('ann') })).toMatchObject({ status: 200 })
  expect(system.events.at(-1)).toMatchObject({ type: 'client.disabled', actor: { kind: 'person', id: 'ann' } })
  await expectRefused(system, { ...request, headers: headers('bob') }, { status: 403, reason: 'not_an_administrator' })
  await expectRefused(system, { path: '/users', headers: headers('ann') }, { status: 403, reason: 'scope_missing' })
})

it.each([
  { scopes: '', access: {} },
  { scopes: 'admin:read', access: { clients: 'read', audit: 'read' } },
  { scopes: 'admin:clients:write admin:grants:read', access: { clients: 'write', grants: 'read' } },
  { scopes: 'admin:write', access: { clients: 'write', users: 'write', audit: 'write' } },
])('tells a caller with the scope values "$scopes" to which areas they have access', async ({ scopes, access }) => {
  const system = startAdminServer()

  const { status, body } = await system.send({ path: '/caller', scopes })

  expect(status).toBe(200)
  expect(body).toMatchObject({ actor: { kind: 'client', id: 'ops' } })
  expect(body?.['access']).toMatchObject(access)
  if (scopes === '') expect(new Set(Object.values(body?.['access'] ?? {}))).toEqual(new Set(['none']))
})

it('tells nobody without a token who the caller is (RFC 6750 §3.1)', async () => {
  await expectRefused(
    startAdminServer(),
    { path: '/caller', scopes: undefined },
    { status: 401, reason: 'credentials_missing' },
  )
})

it("calls the host's own check first, and accepts browser requests only from the issuer's own pages", async () => {
  const system = await startWithRecords({
    authorize: async ({ headers }) =>
      headers.get('cookie') === 'staff=1'
        ? { actor: { kind: 'host', id: 'kim' }, scopes: ['admin:clients:write'] }
        : undefined,
  })
  const request = { method: 'POST', path: '/clients/app/disable', scopes: undefined }
  const cookie = { cookie: 'staff=1' }

  await expectRefused(system, { ...request, headers: cookie }, { status: 403, reason: 'cross_site' })
  for (const from of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.test' },
    { origin: 'null' },
  ]) {
    await expectRefused(system, { ...request, headers: { ...cookie, ...from } }, { status: 403, reason: 'cross_site' })
  }
  await expectRefused(
    system,
    { ...request, headers: { cookie: 'staff=2' } },
    { status: 401, reason: 'credentials_missing' },
  )
  await expectRefused(
    system,
    { path: '/users', scopes: undefined, headers: cookie },
    { status: 403, reason: 'scope_missing' },
  )
  expect(
    await system.send({ path: '/clients', scopes: undefined, headers: { ...cookie, 'sec-fetch-site': 'cross-site' } }),
  ).toMatchObject({ status: 200 })
  expect(await system.send({ ...request, headers: { ...cookie, 'sec-fetch-site': 'same-origin' } })).toMatchObject({
    status: 200,
  })
  expect(system.events.at(-1)).toMatchObject({ actor: { kind: 'host', id: 'kim' } })
})

it("accepts requests that no browser has sent, if the host's own check accepts them (RFC 9700 §4.7)", async () => {
  const system = await startWithRecords({
    authorize: async ({ headers }) =>
      headers.get('x-staff-key') === 'k1'
        ? { actor: { kind: 'host', id: 'job' }, scopes: ['admin:clients:write'] }
        : undefined,
  })
  const request = { method: 'POST', path: '/clients/app/disable', scopes: undefined }

  expect(await system.send({ ...request, headers: { 'x-staff-key': 'k1' } })).toMatchObject({ status: 200 })
  for (const name of ['cookie', 'origin', 'sec-fetch-site'])
    await expectRefused(
      system,
      { ...request, headers: { 'x-staff-key': 'k1', [name]: 'none' } },
      { status: 403, reason: 'cross_site' },
    )
})

it('an administrator of clients cannot create or change a client with more administrative scopes than their own', async () => {
  const system = await startWithRecords()
  await system.send({
    method: 'POST',
    path: '/clients',
    body: { client_id: 'root', client_name: 'Root', grant_types: [], scopes: ['admin:write'] },
  })
  const scopes = 'admin:clients:write admin:users:read'
  const refusal = { status: 403, reason: 'beyond_own_scopes' } as const
  const create = (given: readonly string[]): AdminSent => ({
    method: 'POST',
    path: '/clients',
    scopes,
    body: { client_name: 'New', grant_types: [], scopes: given },
  })

  for (const more of ['admin:write', 'admin:read', 'admin:users:write', 'admin:audit:read', 'admin:unheard:of']) {
    await expectRefused(system, create(['openid', more]), refusal)
    await expectRefused(system, { method: 'PATCH', path: '/clients/app', scopes, body: { scopes: [more] } }, refusal)
  }
  await expectRefused(
    system,
    { method: 'PATCH', path: '/clients/root', scopes, body: { client_name: 'Mine' } },
    refusal,
  )
  await expectRefused(system, { method: 'POST', path: '/clients/root/secrets', scopes, body: {} }, refusal)
  await expectRefused(system, { method: 'POST', path: '/clients/root/enable', scopes }, refusal)
  expect(
    await system.send(create(['openid', 'api', 'admin:clients:read', 'admin:clients:write', 'admin:users:read'])),
  ).toMatchObject({ status: 201 })
  expect(await system.send({ method: 'POST', path: '/clients/root/disable', scopes })).toMatchObject({ status: 200 })
  expect(await system.send({ ...create(['admin:read', 'admin:audit:read']), scopes: 'admin:write' })).toMatchObject({
    status: 201,
  })
})

it('an administrator cannot create an initial access token for an administrative scope that they lack', async () => {
  const system = await startWithRecords()
  const create = (scope: string): AdminSent => ({
    method: 'POST',
    path: '/initial-access-tokens',
    scopes: 'admin:clients:write',
    body: { display_name: 'New', clients: 1, lifetime: 60, scopes: ['openid', scope] },
  })

  await expectRefused(system, create('admin:write'), { status: 403, reason: 'beyond_own_scopes' })
  expect(await system.send(create('profile'))).toMatchObject({ status: 201 })
})

it('a client with a protected scope value can be managed only with admin:write', async () => {
  const system = await startWithRecords({ protectedScopes: ['payments.write'] })
  const billing = { client_id: 'billing', client_name: 'Billing', grant_types: [], scopes: ['payments.write'] }
  const refusal = { status: 403, reason: 'beyond_own_scopes' } as const
  const scopes = 'admin:clients:write'
  const created = { method: 'POST', path: '/clients', body: billing } as const

  await expectRefused(system, { ...created, scopes }, refusal)
  expect(await system.send({ ...created, scopes: 'admin:write' })).toMatchObject({ status: 201 })
  for (const taking of [
    { method: 'POST', path: '/clients/billing/secrets', body: {} },
    { method: 'PATCH', path: '/clients/billing', body: { redirect_uris: ['https://evil.test/'] } },
    { method: 'DELETE', path: '/clients/billing' },
    { method: 'PATCH', path: '/clients/app', body: { scopes: ['payments.write'] } },
  ])
    await expectRefused(system, { ...taking, scopes }, refusal)
})

it('an administrator of clients can disable a client with a protected scope value, but not enable it again', async () => {
  const system = await startWithRecords({ protectedScopes: ['payments.write'] })
  const billing = { client_id: 'billing', client_name: 'Billing', grant_types: [], scopes: ['payments.write'] }
  const scopes = 'admin:clients:write'
  await system.send({ method: 'POST', path: '/clients', body: billing })
  await system.send({ method: 'POST', path: '/clients/billing/secrets', body: {} })
  const find = () => system.storage.clients.find(clientId('billing'))
  const added = (await find())?.secrets.at(-1)

  expect(await system.send({ method: 'DELETE', path: '/clients/billing/secrets/previous', scopes })).toMatchObject({
    status: 204,
  })
  expect((await find())?.secrets).toEqual([added])
  const enable = { method: 'POST', path: '/clients/billing/enable' }
  expect(await system.send({ ...enable, path: '/clients/billing/disable', scopes })).toMatchObject({ status: 200 })
  await expectRefused(system, { ...enable, scopes }, { status: 403, reason: 'beyond_own_scopes' })
  expect((await find())?.disabledAt).toBeDefined()
  expect(await system.send({ ...enable, scopes: 'admin:write' })).toMatchObject({ status: 200 })
})

it('an administrator of clients cannot remove a client with more scopes than their own', async () => {
  const system = await startWithRecords()
  const root = { client_id: 'root', client_name: 'Root', grant_types: [], scopes: ['admin:write'] }
  await system.send({ method: 'POST', path: '/clients', body: root })
  const removal = { method: 'DELETE', path: '/clients/root' } as const

  await expectRefused(
    system,
    { ...removal, scopes: 'admin:clients:write' },
    { status: 403, reason: 'beyond_own_scopes' },
  )
  expect(await system.send({ ...removal, scopes: 'admin:write' })).toMatchObject({ status: 204 })
})

it('only administrators who may add provider secrets can manage a client with the scope scim', async () => {
  const system = await startWithRecords()
  await system.send({
    method: 'POST',
    path: '/clients',
    body: { client_id: 'directory', client_name: 'Directory', grant_types: ['client_credentials'], scopes: ['scim'] },
  })
  const secret: AdminSent = {
    method: 'POST',
    path: '/clients/directory/secrets',
    scopes: 'admin:clients:write',
    body: {},
  }
  const create = { client_name: 'New', grant_types: ['client_credentials'], scopes: ['scim'] }

  await expectRefused(system, secret, { status: 403, reason: 'beyond_own_scopes' })
  await expectRefused(
    system,
    { ...secret, path: '/clients', body: create },
    { status: 403, reason: 'beyond_own_scopes' },
  )
  expect(await system.send({ ...secret, scopes: 'admin:clients:write admin:providers:write' })).toMatchObject({
    status: 201,
  })
})

it('serves nothing but the OpenAPI document without authentication', async () => {
  const system = await startWithRecords()

  expect(await system.send({ path: '/openapi.json', scopes: undefined })).toMatchObject({ status: 200 })
  for (const path of ['/nothing', '/', '/openapi.json/', '/OPENAPI.JSON', '/clients/']) {
    await expectRefused(system, { path, scopes: undefined }, { status: 401, reason: 'credentials_missing' })
  }
  await expectRefused(
    system,
    { method: 'POST', path: '/openapi.json', scopes: undefined },
    { status: 401, reason: 'credentials_missing' },
  )
  expect(await system.storage.clients.find(clientId('app'))).toMatchObject({ version: 1 })
})

it('treats an empty Authorization header as absent (RFC 6750 §3.1)', async () => {
  const system = startAdminServer()

  const sent = { path: '/clients', scopes: undefined, headers: { authorization: '' } }
  const reply = await expectRefused(system, sent, { status: 401, reason: 'credentials_missing' })

  expect(reply.headers.get('www-authenticate')).not.toContain('error=')
})
