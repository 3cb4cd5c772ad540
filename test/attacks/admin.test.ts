import { createAdminServer } from '@mintmark/admin'
import { createMemoryDatabase, createMemoryStorage } from '@mintmark/storage-interface/memory'
import { afterEach, expect, it } from 'vitest'

import { startAdminSite, type AdminSent, type AdminSite } from '../support/admin-site.ts'
import { baseRequest, basic, encode, obtainTokens, postForm } from '../support/flow.ts'
import { plainRequest } from '../support/plain-request.ts'
import { ownKeysOfPrototypes, initialKeysOfPrototypes } from '../support/prototypes.ts'
import { serviceToken } from '../support/token-calls.ts'

const sites: AdminSite[] = []
afterEach(async () => {
  await Promise.all(sites.splice(0).map((site) => site.close()))
})

async function startSite(...options: Parameters<typeof startAdminSite>): Promise<AdminSite> {
  const site = await startAdminSite(...options)
  sites.push(site)
  return site
}

/** Sends a request that must be refused. Asserts problem details, the reason in the event, and unchanged storage. */
async function expectRefused(
  site: AdminSite,
  sent: AdminSent,
  [status, code]: readonly [number, string],
): Promise<void> {
  const before = site.oauth.dump()

  const reply = await site.send(sent)

  expect([reply.status, reply.json['code']]).toEqual([status, code])
  expect(reply.header('content-type')).toBe('application/problem+json')
  expect(reply.header('cache-control')).toBe('no-store')
  expect(site.events.at(-1)).toMatchObject({ type: 'request.refused', reason: code })
  expect(withoutLogs(site.oauth.dump())).toEqual(withoutLogs(before))
  expect(ownKeysOfPrototypes()).toEqual(initialKeysOfPrototypes)
}

const withoutLogs = (dump: string): unknown => ({ ...(JSON.parse(dump) as object), logs: undefined })

const removal: AdminSent = { method: 'DELETE', path: '/users/U1' }

it("a user's consent to admin:write does not make that user an administrator (RFC 9700 §2.3)", async () => {
  const site = await startSite()
  const client = { method: 'PATCH', path: '/clients/A', body: { scopes: ['openid', 'admin:write'] } }
  expect((await site.send(client)).status).toBe(200)
  const { access_token: token = '', scope } = await obtainTokens(site.oauth, { scope: 'openid admin:write' })

  expect(scope).toContain('admin:write')
  await expectRefused(site, { ...removal, token }, [403, 'not_an_administrator'])
})

it('a client gets only scopes that it is registered for, and cannot remove a user with admin:read', async () => {
  const site = await startSite()

  const asked = await serviceToken(site.oauth, { scope: 'admin:write' })
  const token = await site.tokenFor('admin:read')

  expect(asked.json).toMatchObject({ error: 'invalid_scope' })
  await expectRefused(site, { ...removal, token }, [403, 'scope_missing'])
})

it('rejects tokens of another issuer, tokens of another kind, forged tokens and expired tokens', async () => {
  const site = await startSite()
  const other = await startSite()
  const { id_token: idToken = '', refresh_token: refreshToken = '' } = await obtainTokens(site.oauth, {
    scope: `${baseRequest.scope} offline_access`,
  })
  const mine = await site.tokenFor('admin:write')
  const forApi = String((await serviceToken(site.oauth, { resource: 'https://api.test' })).json['access_token'])
  const [head, body] = mine.split('.')
  const unsigned = `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.${body}.`

  for (const token of [
    await other.tokenFor('admin:write'),
    idToken,
    refreshToken,
    forApi,
    unsigned,
    `${head}.${body}.AAAA`,
    'mmscim_T1_' + 'A'.repeat(43),
  ]) {
    await expectRefused(site, { ...removal, token }, [401, 'credentials_invalid'])
  }
  site.oauth.clock.advance(601)
  await expectRefused(site, { ...removal, token: mine }, [401, 'credentials_invalid'])
})

it.each([
  [
    'revoked',
    (site: AdminSite, token: string, secret: string) =>
      postForm(site.oauth, '/token/revocation', encode({ token }), { authorization: basic('ops', secret) }),
  ],
  [
    'issued to a client that was disabled',
    (site: AdminSite) => site.send({ method: 'POST', path: '/clients/ops/disable' }),
  ],
  ['issued to a client that was removed', (site: AdminSite) => site.send({ method: 'DELETE', path: '/clients/ops' })],
])('rejects an access token that was %s (RFC 6750 §3.1)', async (_case, end) => {
  const site = await startSite()
  const client = { client_id: 'ops', client_name: 'Ops', grant_types: ['client_credentials'], scopes: ['admin:write'] }
  const { json } = await site.send({ method: 'POST', path: '/clients', body: client })
  const secret = String(json['client_secret'])
  const form = encode({ grant_type: 'client_credentials', scope: 'admin:write' })
  const issued = await postForm(site.oauth, '/token', form, { authorization: basic('ops', secret) })
  const token = String(issued.json['access_token'])
  expect((await site.send({ path: '/users', token })).status).toBe(200)

  const ended = await end(site, token, secret)

  expect(ended.status).toBeLessThan(300)
  await expectRefused(site, { ...removal, token }, [401, 'credentials_invalid'])
})

it('rejects a token in the query or in a form, and two tokens at once (RFC 6750 §2)', async () => {
  const site = await startSite()
  const token = await site.tokenFor('admin:write')

  await expectRefused(site, { ...removal, path: `/users/U1?access_token=${token}`, token: '' }, [
    401,
    'credentials_missing',
  ])
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  await expectRefused(
    site,
    { method: 'POST', path: '/users', headers: form, body: `access_token=${token}`, token: '' },
    [401, 'credentials_missing'],
  )
  const twice = { authorization: [`Bearer ${token}`, 'Bearer x'] }
  await expectRefused(site, { ...removal, headers: twice, token: '' }, [401, 'credentials_invalid'])
})

it.each<readonly [string, unknown]>([
  ['scope values as one text', { actor: { kind: 'host', id: 'x' }, scopes: 'superadmin:write' }],
  ['null instead of an administrator', null],
])('%s of the host is an error, and changes nothing', async (_, administrator) => {
  const issuer = 'https://a.test'
  const storage = createMemoryStorage({ issuer })
  const server = createAdminServer({
    issuer,
    storage,
    authorize: async () => administrator as never,
    onEvent: () => {},
  })
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ client_name: 'App', grant_types: [] })

  const reply = await server.handle(plainRequest(issuer, { method: 'POST', path: '/admin/v1/clients', headers, body }))

  expect(reply.status).toBe(500)
  expect(await storage.clients.list({ after: undefined, limit: 1 })).toEqual([])
})

it('records of another issuer in the same database are not found', async () => {
  const database = createMemoryDatabase()
  const admit = {
    authorize: async () => ({ actor: { kind: 'host', id: 'x' } as const, scopes: ['admin:write'] as const }),
  }
  const [ours, theirs] = ['https://a.test', 'https://b.test'].map((issuer) => {
    const server = createAdminServer({ issuer, storage: createMemoryStorage({ issuer, database }), ...admit })
    return async (method: string, path: string, body?: object) => {
      const headers = { 'content-type': 'application/json' }
      const reply = await server.handle(
        plainRequest(issuer, {
          method,
          path: `/admin/v1${path}`,
          headers,
          ...(body && { body: JSON.stringify(body) }),
        }),
      )
      return { status: reply.status, text: String(reply.body) }
    }
  })
  if (ours === undefined || theirs === undefined) throw new Error('Two issuers were expected.')
  await theirs('POST', '/clients', { client_id: 'app', client_name: 'Theirs', grant_types: [] })
  await theirs('POST', '/users', { user_id: 'ann' })
  await theirs('POST', '/identity-providers', { provider_id: 'corp' })
  await theirs('POST', '/organizations', { organization_id: 'acme', display_name: 'Theirs' })
  await ours('POST', '/organizations', { organization_id: 'own', display_name: 'Ours' })
  const before = JSON.stringify(
    await Promise.all(
      ['/clients', '/users', '/identity-providers', '/organizations', '/audit'].map((path) => theirs('GET', path)),
    ),
  )

  for (const path of ['/clients/app', '/users/ann', '/identity-providers/corp', '/organizations/acme']) {
    expect((await ours('GET', path)).status).toBe(404)
    expect((await ours('DELETE', path)).status).toBe(404)
    expect((await ours('PATCH', path, {})).status).toBe(404)
  }
  expect((await ours('PUT', '/organizations/own/members/ann', { roles: [] })).status).toBe(404)
  expect((await ours('POST', '/users/ann/deactivate')).status).toBe(404)
  for (const path of ['/clients', '/users', '/identity-providers'])
    expect(JSON.parse((await ours('GET', path)).text)).toMatchObject({ items: [] })
  const after = JSON.stringify(
    await Promise.all(
      ['/clients', '/users', '/identity-providers', '/organizations', '/audit'].map((path) => theirs('GET', path)),
    ),
  )
  expect(after).toBe(before)
})

it('does not find a grant under the path of another user', async () => {
  const site = await startSite()
  await obtainTokens(site.oauth)
  const { json } = await site.send({ path: '/users/U1/grants' })
  const { grant_id: grantId } = (json['items'] as readonly [{ readonly grant_id: string }])[0]
  await site.send({ method: 'POST', path: '/users', body: { user_id: 'U9' } })

  await expectRefused(site, { method: 'DELETE', path: `/users/U9/grants/${grantId}` }, [404, 'grant_unknown'])
})

it.for([
  '/users/..%2fclients',
  '/users/%00',
  '/users/%ED%A0%80',
  '/clients/__proto__',
  '/users/' + 'x'.repeat(2000),
  '/organizations/%0d%0aSet-Cookie:a',
])('answers 404 for an unusual path: %s', async (path) => {
  const site = await startSite()

  const reply = await site.send({ path })

  expect(reply.status).toBe(404)
  expect(reply.json['code']).toMatch(/_unknown$|^path_not_found$/)
})
