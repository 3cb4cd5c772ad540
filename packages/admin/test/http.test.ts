import { expect, it } from 'vitest'

import { adminRoutes } from '../src/http/admin-routes.ts'
import { createAdminServer } from '../src/index.ts'
import { base, expectRefused, issuer, startAdminServer, tokenFor } from './admin-server-under-test.ts'

const app = { client_id: 'app', client_name: 'App', redirect_uris: ['https://app.test/cb'] }

it('a client is registered, read, changed, disabled and removed, with the metadata names of the standard (RFC 7591 §2)', async () => {
  const system = startAdminServer()

  const created = await system.send({ method: 'POST', path: '/clients', body: app })
  expect(created).toMatchObject({
    status: 201,
    body: { client: { ...app, token_endpoint_auth_method: 'client_secret', version: 1 } },
  })
  expect(created.headers.get('location')).toBe(`${base}/clients/app`)
  expect(created.headers.get('etag')).toBe('"1"')
  expect(created.headers.get('cache-control')).toBe('no-store')

  const read = await system.send({ path: '/clients/app' })
  expect(read.body).toEqual(created.body?.['client'])
  const changed = await system.send({
    method: 'PATCH',
    path: '/clients/app',
    body: { client_name: 'Better', default_max_age: 60 },
  })
  expect(changed).toMatchObject({
    status: 200,
    body: { client: { client_name: 'Better', default_max_age: 60, version: 2 } },
  })
  const cleared = await system.send({ method: 'PATCH', path: '/clients/app', body: { default_max_age: null } })
  expect(cleared.body?.['client']).not.toHaveProperty('default_max_age')
  expect(await system.send({ method: 'POST', path: '/clients/app/disable' })).toMatchObject({
    body: { disabled_at: system.clock.now() },
  })
  expect(await system.send({ method: 'POST', path: '/clients/app/enable' })).toMatchObject({ status: 200 })
  expect(await system.send({ method: 'POST', path: '/clients/app/secrets', body: {} })).toMatchObject({ status: 201 })
  expect(await system.send({ method: 'DELETE', path: '/clients/app/secrets/previous' })).toMatchObject({ status: 204 })
  expect(await system.send({ method: 'DELETE', path: '/clients/app' })).toMatchObject({ status: 204, body: undefined })
  await expectRefused(system, { path: '/clients/app' }, { status: 404, reason: 'client_unknown' })
})

it('administers identity providers, users, organizations, grants and sessions, and lists the log', async () => {
  const system = startAdminServer()
  const post = (path: string, body?: object) => system.send({ method: 'POST', path, body })

  expect(await post('/identity-providers', { provider_id: 'corp', tolerance_profile: 'okta' })).toMatchObject({
    status: 201,
    body: {
      provider: { tenant_url: `${issuer}/scim/v2/enterprise-idps/corp`, tolerance_profile: 'okta' },
      secret: expect.stringContaining('mmscim_corp_') as string,
    },
  })
  expect(
    await system.send({ method: 'PATCH', path: '/identity-providers/corp', body: { display_name: 'Corp' } }),
  ).toMatchObject({ body: { display_name: 'Corp' } })
  for (const verb of ['disable', 'enable', 'release-deprovisioning'])
    expect(await post(`/identity-providers/corp/${verb}`)).toMatchObject({ status: 200 })
  expect(await post('/identity-providers/corp/secrets', { previous_expires_at: 1_790_000_060 })).toMatchObject({
    status: 201,
  })
  expect(await system.send({ method: 'DELETE', path: '/identity-providers/corp/secrets/previous' })).toMatchObject({
    status: 204,
  })
  expect(await system.send({ path: '/identity-providers/corp/setup?product=okta' })).toMatchObject({
    body: { product: 'okta' },
  })
  expect(await system.send({ path: '/identity-providers/corp/requests' })).toMatchObject({ body: { items: [] } })
  expect(await system.send({ path: '/identity-providers?limit=1' })).toMatchObject({
    body: { items: [{ provider_id: 'corp' }] },
  })

  await post('/clients', app)
  expect(await post('/users', { user_id: 'ann', claims: { name: 'Ann', given_name: 'A' } })).toMatchObject({
    status: 201,
    body: { claims: { given_name: 'A' } },
  })
  expect(await system.send({ path: '/users?filter=claims.name%20eq%20%22Ann%22' })).toMatchObject({
    body: { total: 1 },
  })
  expect(await post('/user-search', { filter: 'claims.name eq "Bob"' })).toMatchObject({
    body: { total: 0, items: [] },
  })
  expect(await system.send({ method: 'PATCH', path: '/users/ann', body: { claims: { name: null } } })).toMatchObject({
    body: { claims: { given_name: 'A' } },
  })
  for (const what of ['grants', 'sessions', 'memberships'])
    expect(await system.send({ path: `/users/ann/${what}` })).toMatchObject({ body: { items: [] } })
  for (const what of ['grants', 'sessions'])
    expect(await system.send({ method: 'DELETE', path: `/users/ann/${what}` })).toMatchObject({
      body: { revoked: 0 },
    })
  expect(await system.send({ path: '/clients/app/grants' })).toMatchObject({ body: { items: [] } })
  expect(await system.send({ method: 'DELETE', path: '/clients/app/grants' })).toMatchObject({ body: { revoked: 0 } })

  expect(await post('/organizations', { organization_id: 'acme', display_name: 'Acme' })).toMatchObject({ status: 201 })
  expect(
    await system.send({ method: 'PUT', path: '/organizations/acme/members/ann', body: { roles: ['owner'] } }),
  ).toMatchObject({ body: { roles: ['owner'] } })
  expect(await system.send({ path: '/organizations/acme/members' })).toMatchObject({
    body: { items: [{ user_id: 'ann' }] },
  })
  expect(await system.send({ path: '/organizations/acme/members/ann' })).toMatchObject({ body: { version: 1 } })
  expect(await system.send({ method: 'DELETE', path: '/organizations/acme/members/ann' })).toMatchObject({
    status: 204,
  })
  expect(
    await system.send({ method: 'PATCH', path: '/organizations/acme', body: { display_name: 'ACME' } }),
  ).toMatchObject({ body: { display_name: 'ACME' } })
  expect(await system.send({ method: 'DELETE', path: '/organizations/acme' })).toMatchObject({ status: 204 })

  expect(await post('/users/ann/revoke-access')).toEqual(
    expect.objectContaining({ status: 200, body: { ended: { grants: [], session_ids: [] } } }),
  )
  expect(await post('/users/ann/deactivate')).toMatchObject({
    body: { user: { active: false }, ended: { grants: [], session_ids: [] } },
  })
  expect(await post('/users/ann/reactivate')).toMatchObject({ body: { active: true } })
  expect(await system.send({ method: 'DELETE', path: '/users/ann' })).toMatchObject({ status: 204 })
  expect(await system.send({ method: 'DELETE', path: '/identity-providers/corp' })).toMatchObject({ status: 204 })
  expect(await system.send({ path: '/audit?limit=2' })).toMatchObject({
    body: { items: [{ type: 'provider.removed', detail: { stage: 'done' } }, { detail: { stage: 'intended' } }] },
  })
})

it('If-Match limits a write to the version that was read (RFC 9110 §13.1.1)', async () => {
  const system = startAdminServer()
  await system.send({ method: 'POST', path: '/clients', body: app })
  const patch = (tag: string) => ({
    method: 'PATCH',
    path: '/clients/app',
    headers: { 'if-match': tag },
    body: { client_name: 'x' },
  })

  expect(await system.send(patch('"1"'))).toMatchObject({ status: 200 })
  for (const tag of ['"1"', 'W/"2"', '2', '"x"', '"2", "3"', ''])
    await expectRefused(system, patch(tag), { status: 412, reason: 'version_mismatch' })
  expect(await system.send(patch('*'))).toMatchObject({ status: 200 })
  await expectRefused(
    system,
    { method: 'DELETE', path: '/clients/app', headers: { 'if-match': '"1"' } },
    { status: 412, reason: 'version_mismatch' },
  )
})

it('lists continue after `next`, and an unknown or invalid query is rejected', async () => {
  const system = startAdminServer()
  for (const id of ['a', 'b', 'c'])
    await system.send({ method: 'POST', path: '/clients', body: { ...app, client_id: id } })

  const first = await system.send({ path: '/clients?limit=2' })
  expect(first.body?.['next']).toBe('b')
  expect(await system.send({ path: '/clients?limit=2&after=b' })).toMatchObject({
    body: { items: [{ client_id: 'c' }] },
  })
  for (const query of [
    'limit=x',
    'limit=-1',
    'after=a&after=b',
    'offset=1',
    '__proto__=1',
    'limit=%ff',
    'after=%00',
    'after=',
  ]) {
    await expectRefused(system, { path: `/clients?${query}` }, { status: 400, reason: 'query_invalid' })
  }
  for (const query of ['limit=0', 'limit=201'])
    await expectRefused(system, { path: `/clients?${query}` }, { status: 400, reason: 'page_invalid' })
  await expectRefused(system, { path: '/clients/a?x=1' }, { status: 400, reason: 'query_invalid' })
  await expectRefused(system, { path: '/users?filter=externalId%20pr' }, { status: 400, reason: 'filter_invalid' })
})

it('responds to refused requests with problem details and the headers that HTTP requires (RFC 9457 §3)', async () => {
  const system = startAdminServer()

  expect((await expectRefused(system, { path: '/nothing' }, { status: 404, reason: 'path_not_found' })).body).toEqual({
    type: 'about:blank',
    title: 'Not Found',
    status: 404,
    code: 'path_not_found',
    detail: 'This path does not exist.',
  })
  const put = await expectRefused(
    system,
    { method: 'PUT', path: '/clients' },
    { status: 405, reason: 'method_not_allowed' },
  )
  expect(put.headers.get('allow')).toBe('GET, HEAD, POST')
  const form = {
    method: 'POST',
    path: '/clients',
    headers: { 'content-type': 'text/plain' },
    body: JSON.stringify(app),
  }
  await expectRefused(system, form, { status: 415, reason: 'media_type' })
  const deep = `{"client_name":"x","jwks":{"keys":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`
  for (const body of ['', '{', 'null', '[]', '['.repeat(100_000), deep, '{"client_name":"\\ud800"}']) {
    const { status, body: problem } = await system.send({ method: 'POST', path: '/clients', body })
    expect([status, problem?.['code']]).toEqual([400, expect.stringMatching(/^body_/)])
  }
  const nameless = await expectRefused(
    system,
    { method: 'POST', path: '/clients', body: { client_name: '' } },
    { status: 400, reason: 'body_invalid' },
  )
  expect(nameless.body?.['pointer']).toBe('/client_name')
})

it('refuses a body that is declared too large before it reads it, and reports it (RFC 9110 §15.5.14)', async () => {
  const system = startAdminServer()
  const authorization = `Bearer ${tokenFor('ops', 'admin:write')}`

  const response = await system.server.handle({
    method: 'POST',
    url: new URL(`${issuer}/admin/v1/clients`),
    headers: new Map(Object.entries({ authorization, 'content-length': '131073' })),
    repeatedHeaders: new Set(),
    host: undefined,
    body: () => Promise.reject(new Error('the body was read')),
  })

  expect(response.status).toBe(413)
  expect(system.events).toMatchObject([{ type: 'request.refused', reason: 'message_too_large' }])
})

it.each([
  ['an unknown member', '/clients', { client_name: 'A', scope: 'openid' }, '/scope'],
  ['a nested unknown member', '/user-upserts', { users: [{ user_id: 'kim', name: 'Kim' }] }, '/users/0/name'],
  ['a member of the wrong type', '/clients', { client_name: 'A', scopes: 'openid' }, '/scopes'],
  [
    'no member if its name could not be defined by the API',
    '/clients',
    { client_name: 'A', 's3cret Value': 1 },
    undefined,
  ],
  ['no member if its name is too long', '/clients', { client_name: 'A', ['x'.repeat(65)]: 1 }, undefined],
])('the refusal of a request body names %s (RFC 9457 §3.2)', async (_case, path, body, pointer) => {
  const sent = { method: 'POST', path, body }

  const reply = await expectRefused(startAdminServer(), sent, { status: 400, reason: 'body_invalid' })

  expect(reply.body?.['pointer']).toBe(pointer)
  expect(reply.text).not.toContain('s3cret')
})

it('answers HEAD as GET without the body (RFC 9110 §9.3.2)', async () => {
  const system = startAdminServer()

  expect(await system.send({ method: 'HEAD', path: '/clients' })).toMatchObject({ status: 200, text: '' })
})

it('a response without a body has no Content-Type (RFC 9110 §8.3)', async () => {
  const system = startAdminServer()
  await system.send({ method: 'POST', path: '/clients', body: app })

  const { status, headers } = await system.send({ method: 'DELETE', path: '/clients/app' })

  expect([status, headers.get('content-type')]).toEqual([204, undefined])
})

it('the OpenAPI document describes every route with its scope, its request and its response', async () => {
  const system = startAdminServer()

  const { body, status } = await system.send({ path: '/openapi.json', scopes: undefined })

  expect(status).toBe(200)
  const paths = body?.['paths'] as Record<string, Record<string, Record<string, unknown>>>
  const documented = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(documented.toSorted()).toEqual(adminRoutes.map(({ method, path }) => `${method} ${path}`).toSorted())
  const operations = Object.values(paths).flatMap((item) => Object.values(item))
  expect(new Set(operations.map((operation) => operation['operationId'])).size).toBe(adminRoutes.length)
  for (const route of adminRoutes) {
    const operation = paths[route.path]?.[route.method.toLowerCase()]
    expect(operation).toMatchObject({
      summary: route.summary,
      security: [{ oauth2: route.area === 'any' ? [] : [`admin:${route.area}:${route.access}`] }],
    })
    expect(operation?.['requestBody'] === undefined).toBe(route.body === undefined)
    expect(Object.keys(operation?.['responses'] as object)).toEqual([String(route.status), 'default'])
    expect(route.answer === undefined).toBe(route.status === 204)
    expect(route.access === 'read').toBe(route.method === 'GET' || route.path === '/user-search')
  }
  expect(paths['/clients']?.['post']?.['requestBody']).toMatchObject({
    content: {
      'application/json': { schema: { type: 'object', required: ['client_name'], additionalProperties: false } },
    },
  })
})

it('the OpenAPI document describes the stored members of a client in responses', async () => {
  const { body } = await startAdminServer().send({ path: '/openapi.json', scopes: undefined })

  expect(body).toMatchObject({
    paths: {
      '/clients/{client_id}': {
        get: {
          responses: {
            200: {
              content: {
                'application/json': {
                  schema: {
                    properties: {
                      redirect_uris: { type: 'array', items: { type: 'string' } },
                      jwks: { type: 'object' },
                      logo_uri: { type: 'string' },
                      default_max_age: { type: 'integer' },
                      // A stored algorithm may no longer be supported.
                      id_token_signed_response_alg: expect.not.objectContaining({
                        enum: expect.anything() as unknown,
                      }) as object,
                    },
                  },
                },
              },
            },
          },
        },
      },
    },
  })
})

it('requires a way to authenticate administrators, such as the check of the host', () => {
  const { storage } = startAdminServer()
  const authorize = () => Promise.resolve(undefined)

  expect(() => createAdminServer({ issuer, storage })).toThrow(TypeError)
  expect(createAdminServer({ issuer, storage, authorize }).issuer).toBe(issuer)
})

it('a request with two Authorization headers is refused (RFC 6750 §2)', async () => {
  const system = startAdminServer()
  const headers = new Map([['authorization', `Bearer ${tokenFor('ops', 'admin:write')}`]])
  const request = {
    method: 'GET',
    url: new URL(`${issuer}/admin/v1/clients`),
    headers,
    host: undefined,
    body: new Uint8Array(),
  }

  const once = await system.server.handle({ ...request, repeatedHeaders: new Set() })
  const twice = await system.server.handle({ ...request, repeatedHeaders: new Set(['authorization']) })

  expect([once.status, twice.status]).toEqual([200, 401])
  expect(system.events.at(-1)).toMatchObject({ reason: 'credentials_invalid' })
})
