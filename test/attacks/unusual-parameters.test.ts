import type { RefusalReason } from '@mintmark/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { startAdminSite, type AdminSite } from '../support/admin-site.ts'
import { baseRequest, encode, signedInAs, type Change } from '../support/flow.ts'
import { expectRefusal, expectErrorRedirect, expectJsonRefusal } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import {
  introspect,
  authenticateEveryClient,
  refresh,
  revoke,
  tokensFor,
  userinfo,
  type Tokens,
} from '../support/token-calls.ts'

let site: ServerUnderTest
let admin: AdminSite
let tokens: Tokens
beforeAll(async () => {
  site = await startServer()
  admin = await startAdminSite()
  await authenticateEveryClient(site)
  tokens = await tokensFor(site, 'A')
})
afterAll(() => Promise.all([site.close(), admin.close()]))

describe('the authorization endpoint rejects unusual values before it asks the user (OIDC Core §3.1.2.6)', () => {
  const deep = `{"id_token":{"x":${'['.repeat(900)}${']'.repeat(900)}}}`
  const rows: readonly (readonly [string, Change, string, RefusalReason])[] = [
    ['prompt values separated by a tab', { prompt: 'login\tconsent' }, 'invalid_request', 'prompt_invalid'],
    ['prompt=None in mixed case', { prompt: 'None' }, 'invalid_request', 'prompt_invalid'],
    ['a max_age of minus zero', { max_age: '-0' }, 'invalid_request', 'max_age_invalid'],
    ['a max_age with an exponent', { max_age: '1e3' }, 'invalid_request', 'max_age_invalid'],
    ['a max_age with a plus sign', { max_age: '+1' }, 'invalid_request', 'max_age_invalid'],
    ['a max_age in Arabic digits', { max_age: '٣' }, 'invalid_request', 'max_age_invalid'],
    ['a max_age of 400 digits', { max_age: '9'.repeat(400) }, 'invalid_request', 'parameter_too_long'],
    ['max_age=0 with prompt=none', { max_age: '0', prompt: 'none' }, 'login_required', 'login_required'],
    ['claims nested 900 levels deep', { claims: deep }, 'invalid_request', 'claims_malformed'],
    [
      'claims that name id_token twice',
      { claims: '{"id_token":{"sub":{"value":"U2"}},"id_token":{}}' },
      'invalid_request',
      'claims_malformed',
    ],
    [
      'prompt=none with a list of other users as sub',
      { prompt: 'none', claims: '{"id_token":{"sub":{"values":["U2","U3"]}}}' },
      'login_required',
      'login_required',
    ],
    ['a resource without a scheme', { resource: '//api.test' }, 'invalid_target', 'resource_unknown'],
    ['a resource with user information', { resource: 'https://x@api.test' }, 'invalid_target', 'resource_unknown'],
    ['a resource with an empty fragment', { resource: 'https://api.test/#' }, 'invalid_target', 'resource_unknown'],
    [
      'two response modes in one value',
      { response_mode: 'query form_post' },
      'invalid_request',
      'response_mode_unknown',
    ],
    [
      'response_type=code code',
      { response_type: 'code code' },
      'unsupported_response_type',
      'response_type_unsupported',
    ],
  ]

  it.each(rows)('%s', async (_, change, error, reason) => {
    await expectErrorRedirect(
      site,
      { error },
      {
        send: () =>
          site.send({
            path: `/auth?${encode({ ...baseRequest, ...change })}`,
            headers: { cookie: signedInAs(site, 'U1') },
          }),
        reason,
      },
    )
  })
})

describe('a refresh with unusual values is refused and does not use up the token (RFC 6749 §6)', () => {
  const rows: readonly (readonly [string, Change, string, RefusalReason])[] = [
    ['scopes separated by a tab', { scope: 'openid\tprofile' }, 'invalid_scope', 'scope_not_granted'],
    ['scopes separated by a no-break space', { scope: 'openid\u00A0profile' }, 'invalid_scope', 'scope_not_granted'],
    ['a scope before a NUL', { scope: 'openid\0' }, 'invalid_scope', 'scope_not_granted'],
    ['a resource with a fragment', { resource: 'https://api.test/#x' }, 'invalid_target', 'resource_not_granted'],
    [
      'details of a type that the grant does not have',
      { authorization_details: '[{"type":"payment"}]' },
      'invalid_authorization_details',
      'detail_type_unknown',
    ],
    [
      'a client_assertion_type without an assertion, in addition to Basic',
      { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer' },
      'invalid_request',
      'client_authentication_twice',
    ],
  ]

  it.each(rows)('%s', async (_, change, error, reason) => {
    await expectJsonRefusal(
      site,
      { status: 400, error },
      { send: () => refresh(site, tokens.refresh_token, change), reason },
    )
  })

  it.each([
    ['base64 padding', '='],
    ['a zero-width space', '\u200B'],
  ])('a refresh token followed by %s', async (_, suffix) => {
    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_grant' },
      { send: () => refresh(site, tokens.refresh_token + suffix), reason: 'refresh_token_unknown' },
    )
  })
})

it("another client cannot tell A's token from a random string, and cannot revoke it (RFC 7009 §2.1, RFC 7662 §4)", async () => {
  const random = 'junk'

  const introspected = [await introspect(site, tokens.access_token, 'B'), await introspect(site, random, 'B')]
  const revoked = [await revoke(site, tokens.access_token, 'B'), await revoke(site, random, 'B')]

  for (const { status, json } of introspected) expect([status, json]).toEqual([200, { active: false }])
  for (const { status, text } of revoked) expect([status, text]).toEqual([200, ''])
  expect((await userinfo(site, tokens.access_token)).status).toBe(200)
})

it('an ID token is neither introspected nor revoked as an access token (RFC 7662 §2.2)', async () => {
  const before = site.dump()

  expect((await introspect(site, tokens.id_token)).json).toEqual({ active: false })
  expect((await revoke(site, tokens.id_token)).status).toBe(200)
  expect(site.dump()).toBe(before)
})

it('a body larger than the limit is rejected before it is parsed (RFC 9110 §15.5.14)', async () => {
  const reply = await expectRefusal(site, {
    send: () => introspect(site, 'a.'.repeat(30_000)),
    reason: 'message_too_large',
  })

  expect([reply.status, reply.json['error']]).toEqual([413, 'invalid_request'])
})

describe('the administration API does not resolve unusual identifiers to a client', () => {
  it.each([
    ['an encoded path that leaves the identifier', '/clients/A%2F..%2FB', 'client_unknown'],
    ['an encoded path that leaves the API', '/clients/..%2F..%2Ftoken', 'client_unknown'],
    ['a NUL', '/clients/%00', 'client_unknown'],
    ['a path parameter', '/clients/A;x=1', 'client_unknown'],
    ['a name of Object.prototype', '/clients/__proto__', 'client_unknown'],
    ['a malformed escape', '/clients/%ZZ', 'path_not_found'],
    ['an encoded surrogate', '/clients/%ED%A0%80', 'path_not_found'],
    ['a slash at the end', '/clients/A/', 'path_not_found'],
    ['two slashes', '/clients//A', 'path_not_found'],
  ])('%s', async (_, path, code) => {
    const token = await admin.tokenFor('admin:read')
    const reply = await admin.send({ path, token })

    expect([reply.status, reply.json['code']]).toEqual([404, code])
    expect(admin.events.at(-1)).toMatchObject({ type: 'request.refused', reason: code })
  })

  it.each([
    ['PATCH', '/clients/A'],
    ['DELETE', '/clients/A'],
    ['POST', '/clients'],
  ])('a token to read cannot %s %s with a method override (RFC 6750 §3.1)', async (method, path) => {
    const token = await admin.tokenFor('admin:read')
    const client = await admin.send({ path: '/clients/A', token })

    const headers = { 'x-http-method-override': 'GET' }
    const reply = await admin.send({ method, path, token, body: {}, headers })

    expect([reply.status, reply.json['code']]).toEqual([403, 'scope_missing'])
    expect((await admin.send({ path: '/clients/A', token })).json).toEqual(client.json)
  })
})
