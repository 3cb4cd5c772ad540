import { clientId } from '@mintmark/storage-interface'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { authorize, baseRequest, encode, postForm, signedInAs, type Change } from '../support/flow.ts'
import { expectServing, expectErrorRedirect } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
  await expectServing(site)
})
afterAll(() => site.close())

const api = 'https://api.test'

describe('once the client and redirect URI are known, an error is returned to the client, with state and iss (RFC 6749 §4.1.2.1)', () => {
  it.each([
    ['no response_type', { response_type: undefined }, 'invalid_request', 'response_type_missing'],
    ['an empty response_type', { response_type: '' }, 'invalid_request', 'response_type_missing'],
    ...['id_token', 'code id_token', 'code token', 'none', 'token', 'id_token token', 'code id_token token'].map(
      (value) =>
        [
          `response_type=${value}`,
          { response_type: value },
          'unsupported_response_type',
          'response_type_unsupported',
        ] as const,
    ),
    ...['code code', 'CODE', 'code\0', ' code', 'code ', 'code\n'].map(
      (value) =>
        [
          `response_type=${encode({ '': value }).slice(1)}`,
          { response_type: value },
          'unsupported_response_type',
          'response_type_unsupported',
        ] as const,
    ),
    ...['fragment', 'web_message', 'query.jwt', 'jwt', 'QUERY', 'form_post ', 'constructor'].map(
      (value) =>
        [
          `Multiple Response Types §2.1: response_mode=${value}`,
          { response_mode: value },
          'invalid_request',
          'response_mode_unknown',
        ] as const,
    ),
    ['a nonce of 1,025 bytes', { nonce: 'n'.repeat(1025) }, 'invalid_request', 'parameter_too_long'],
    [
      'a nonce of 1,025 bytes but fewer characters',
      { nonce: `${'é'.repeat(512)}n` },
      'invalid_request',
      'parameter_too_long',
    ],
    ['a login_hint of 1,025 bytes', { login_hint: 'n'.repeat(1025) }, 'invalid_request', 'parameter_too_long'],
    ['acr_values of 1,025 bytes', { acr_values: 'n'.repeat(1025) }, 'invalid_request', 'parameter_too_long'],
    ['claims of 4,097 bytes', { claims: `{"x":"${'a'.repeat(4089)}"}` }, 'invalid_request', 'parameter_too_long'],
    ['a scope of 2,001 characters', { scope: 'openid '.padEnd(2001, 'a') }, 'invalid_scope', 'scope_malformed'],
    ['scope with a NUL', { scope: 'openid\0' }, 'invalid_scope', 'scope_malformed'],
    ['scope with quotes', { scope: '"x"' }, 'invalid_scope', 'scope_malformed'],
    ['scope with a backslash', { scope: 'a\\b' }, 'invalid_scope', 'scope_malformed'],
    ['scope with a tab', { scope: 'openid\tprofile' }, 'invalid_scope', 'scope_malformed'],
    ['scope with a line break', { scope: 'openid\nprofile' }, 'invalid_scope', 'scope_malformed'],
    ['scope with a non-ASCII letter', { scope: 'openid é' }, 'invalid_scope', 'scope_malformed'],
    ['no scope (RFC 6749 §3.3)', { scope: undefined }, 'invalid_scope', 'scope_missing'],
    ['a scope of spaces (RFC 6749 §3.3)', { scope: '   ' }, 'invalid_scope', 'scope_missing'],
    ['only unknown scopes (RFC 6749 §3.3)', { scope: 'admin OPENID' }, 'invalid_scope', 'scope_missing'],
    [
      'a scope that the client is not registered for (RFC 6749 §3.3)',
      { scope: 'api.write' },
      'invalid_scope',
      'scope_not_allowed',
    ],
    ['prompt=none login', { prompt: 'none login' }, 'invalid_request', 'prompt_invalid'],
    ['prompt=login none', { prompt: 'login none' }, 'invalid_request', 'prompt_invalid'],
    ['prompt=xyz', { prompt: 'xyz' }, 'invalid_request', 'prompt_invalid'],
    ['prompt=NONE', { prompt: 'NONE' }, 'invalid_request', 'prompt_invalid'],
    ['prompt=none and a tab', { prompt: 'none\tlogin' }, 'invalid_request', 'prompt_invalid'],
    ...['-1', '1.5', '1e3', '0x10', '+1', ' 1', 'abc', '1'.repeat(10), 'NaN'].map(
      (value) =>
        [`OIDC Core §3.1.2.1: max_age=${value}`, { max_age: value }, 'invalid_request', 'max_age_invalid'] as const,
    ),
    ['a request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported', 'parameter_unsupported'],
    ['a request_uri', { request_uri: 'https://evil.test/x' }, 'request_uri_not_supported', 'parameter_unsupported'],
    [
      'a registration (OIDC Core §3.1.2.6)',
      { registration: '{}' },
      'registration_not_supported',
      'parameter_unsupported',
    ],
    ...[
      '[]',
      '"x"',
      '{',
      '1',
      'null',
      'true',
      '{"id_token":[]}',
      '{"userinfo":"x"}',
      '{"id_token":{"sub":"U1"}}',
      '{"id_token":{"sub":[]}}',
      '{"id_token":1}',
    ].map((value) => [`claims=${value}`, { claims: value }, 'invalid_request', 'claims_malformed'] as const),
    [
      'claims with a __proto__ member',
      { claims: '{"__proto__":{"x":1},"id_token":{"sub":1}}' },
      'invalid_request',
      'claims_malformed',
    ],
    ['a resource with a fragment', { resource: `${api}#frag` }, 'invalid_target', 'resource_unknown'],
    ['a relative resource', { resource: 'relative' }, 'invalid_target', 'resource_unknown'],
    ['an unknown resource (RFC 8707 §2)', { resource: 'https://evil.test' }, 'invalid_target', 'resource_unknown'],
    [
      'a resource with a path of two slashes (RFC 8707 §2)',
      { resource: 'https://api.test//' },
      'invalid_target',
      'resource_unknown',
    ],
    [
      'a resource named like an Object.prototype member (RFC 8707 §2)',
      { resource: '__proto__' },
      'invalid_target',
      'resource_unknown',
    ],
  ] as const satisfies readonly (readonly [string, Change, string, string])[])(
    '%s',
    async (_, change, error, reason) => {
      const types = 'response_type' in change ? (change.response_type ?? '').split(' ') : []
      const part = types.some((type) => type === 'token' || type === 'id_token') ? 'fragment' : 'query'

      await expectErrorRedirect(site, { error, part }, { send: () => authorize(site, change), reason })
    },
  )

  it.each(
    Object.keys(baseRequest)
      .filter((name) => !['client_id', 'redirect_uri', 'state'].includes(name))
      .concat('prompt', 'claims', 'x'),
  )('rejects %s given twice', async (name) => {
    const query = `${name}=1&${encode({ ...baseRequest, prompt: 'consent', claims: '{}', x: '1' })}`

    await expectErrorRedirect(
      site,
      { error: 'invalid_request' },
      {
        send: () => site.send({ path: `/auth?${query}`, headers: { cookie: signedInAs(site, 'U1') } }),
        reason: 'parameter_repeated',
      },
    )
  })

  it('echoes neither of two states (RFC 6749 §3.1)', async () => {
    await expectErrorRedirect(
      site,
      { error: 'invalid_request', state: null },
      { send: () => site.send({ path: `/auth?state=s0&${encode(baseRequest)}` }), reason: 'parameter_repeated' },
    )
  })

  it.each([
    ['1,025 bytes', 's'.repeat(1025)],
    ['1,025 bytes but fewer characters', `${'é'.repeat(512)}s`],
  ])('rejects %s of state and does not echo it', async (_, state) => {
    await expectErrorRedirect(
      site,
      { error: 'invalid_request', state: null },
      { send: () => authorize(site, { state }), reason: 'parameter_too_long' },
    )
  })

  it.each([
    ['a valid one 33 times', Array.from({ length: 33 }, () => api)],
    ['a valid one 65 times', Array.from({ length: 65 }, () => api)],
    ['65 unknown ones', Array.from({ length: 65 }, (_, at) => `https://r${at}.test`)],
  ])('rejects more than 32 resources: %s', async (_, resources) => {
    const query = [encode(baseRequest), ...resources.map((resource) => encode({ resource }))].join('&')

    await expectErrorRedirect(
      site,
      { error: 'invalid_target' },
      {
        send: () => site.send({ path: `/auth?${query}`, headers: { cookie: signedInAs(site, 'U1') } }),
        reason: 'resource_unknown',
      },
    )
  })

  it.each([
    ['an invalid prompt', { prompt: 'xyz' }, 'invalid_request', 'prompt_invalid'],
    [
      'a request_uri that was not pushed',
      { request_uri: 'https://evil.test/x' },
      'request_uri_not_supported',
      'parameter_unsupported',
    ],
  ] as const)('by POST: %s (OIDC Core §3.1.2.1)', async (_, change, error, reason) => {
    await expectErrorRedirect(
      site,
      { error },
      { send: () => postForm(site, '/auth', encode({ ...baseRequest, ...change }), {}), reason },
    )
  })
})

describe('prompt=none never shows a page (OIDC Core §3.1.2.6)', () => {
  it.each([
    ['no user is signed in', { cookie: '' }, {}, 'login_required'],
    ['the user is not active', { user: 'U2' }, {}, 'login_required'],
    ['the user was removed', { user: 'U3' }, {}, 'login_required'],
    ['the user never existed', { user: 'nobody' }, {}, 'login_required'],
    ['the sign-in is older than max_age', { age: 100 }, { max_age: '99' }, 'login_required'],
    ['max_age=0', {}, { max_age: '0' }, 'login_required'],
    [
      'another user is required (OIDC Core §5.5.1)',
      {},
      { claims: '{"id_token":{"sub":{"value":"U2"}}}' },
      'login_required',
    ],
    ['a scope that was not consented to', {}, { scope: 'openid address' }, 'consent_required'],
    [
      'claims that the user has not consented to',
      {},
      { claims: '{"userinfo":{"phone_number":null}}' },
      'consent_required',
    ],
  ] as const)('%s', async (_, session: { cookie?: string; user?: string; age?: number }, change: Change, error) => {
    const cookie = session.cookie ?? signedInAs(site, session.user ?? 'U1', session.age ?? 5)

    await expectErrorRedirect(
      site,
      { error },
      { send: () => authorize(site, { scope: 'openid', prompt: 'none', ...change }, { cookie }), reason: error },
    )
  })
})

it.each([
  ['the state of the object', { response_mode: 'form_post', state: 'in-object' }, 'in-object'],
  ['the state parameter of the request if there is one', { response_mode: 'form_post', state: 'in-object' }, 's1'],
])(
  'returns the error of a refused request object by the response mode of the object, with %s (OIDC Core §6.1)',
  async (_, claims, state) => {
    const object = `${encodePart({ alg: 'none' })}.${encodePart(claims)}.`

    const reply = await authorize(site, { request: object, state: state === 's1' ? 's1' : undefined })

    expect([reply.status, site.lastReason()]).toEqual([200, 'parameter_unsupported'])
    expect(reply.text).toContain('name="error" value="request_not_supported"')
    expect(reply.text).toContain(`name="state" value="${state}"`)
  },
)

it.each([
  [8192, 'in-object'],
  [8193, null],
])(
  'returns the error of a refused request object of %d characters with the state %s (OIDC Core §6.1)',
  async (length, state) => {
    const object = `${encodePart({ alg: 'none' })}.${encodePart({ state: 'in-object' })}.`

    await expectErrorRedirect(
      site,
      { error: 'request_not_supported', state },
      {
        send: () => authorize(site, { request: object.padEnd(length, 'A'), state: undefined }),
        reason: 'parameter_unsupported',
      },
    )
  },
)

it.each(['x', '..', 'a.b.c', `${'A'.repeat(9000)}.e30.`])(
  'an unreadable request object does not change how the error is returned: %.20s (OIDC Core §6.1)',
  async (request) => {
    await expectErrorRedirect(
      site,
      { error: 'request_not_supported' },
      { send: () => authorize(site, { request }), reason: 'parameter_unsupported' },
    )
  },
)

it('returns an error in the requested response mode, with iss', async () => {
  const reply = await authorize(site, { response_mode: 'form_post', prompt: 'xyz' })

  expect(reply.status).toBe(200)
  expect(reply.text).toContain('<form method="post" action="https://app.test/cb">')
  expect(reply.text).toContain('<input type="hidden" name="error" value="invalid_request">')
  expect(reply.text).toContain('<input type="hidden" name="iss" value="https://as.test">')
})

it('tells a client that it is not registered for the code grant (RFC 6749 §4.1.2.1)', async () => {
  await changeClient(site.storage, clientId('P'), { grantTypes: ['refresh_token'] })

  await expectErrorRedirect(
    site,
    { error: 'unauthorized_client', at: 'https://spa.test/cb' },
    {
      send: () => authorize(site, { client_id: 'P', redirect_uri: 'https://spa.test/cb' }),
      reason: 'grant_type_not_registered',
    },
  )
})

it('a normal request still succeeds after all these attacks', () => expectServing(site))

const encodePart = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
