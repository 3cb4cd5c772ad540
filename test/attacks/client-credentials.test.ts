import type { RefusalReason } from '@mintmark/core'
import { clientId } from '@mintmark/storage-interface'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { basic, postForm, type Change } from '../support/flow.ts'
import { readJws } from '../support/forge-jwt.ts'
import { expectJsonRefusal } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import {
  introspect,
  authenticateEveryClient,
  postAs,
  serviceToken,
  tokensOf,
  type ClientName,
} from '../support/token-calls.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
  await authenticateEveryClient(site)
})
afterAll(() => site.close())

interface Row {
  readonly row: string
  readonly client?: ClientName
  readonly form: Change
  readonly status?: number
  readonly error: string
  readonly reason: RefusalReason
}

const unknownGrant = { error: 'unsupported_grant_type', reason: 'grant_type_unknown' } as const
const noGrant = { error: 'unauthorized_client', reason: 'grant_type_not_registered' } as const
const noScope = { error: 'invalid_scope', reason: 'scope_not_allowed' } as const
const noResource = { error: 'invalid_target', reason: 'resource_unknown' } as const

const otherGrants = [
  'urn:ietf:params:oauth:grant-type:jwt-bearer',
  'urn:ietf:params:oauth:grant-type:saml2-bearer',
  'urn:ietf:params:oauth:grant-type:token-exchange',
  'urn:ietf:params:oauth:grant-type:device_code',
  'urn:openid:params:grant-type:ciba',
  'implicit',
]
const otherSpellings = [
  'Client_Credentials',
  'client_credentials ',
  ' client_credentials',
  'client_credentials\0',
  'client_credentials,refresh_token',
]

describe('client_credentials and unsupported grants', () => {
  const rows: readonly Row[] = [
    { row: 'the public client P is refused (OAuth 2.1 §4.2)', client: 'P', form: {}, ...noGrant },
    { row: 'the public client N is refused (OAuth 2.1 §4.2)', client: 'N', form: {}, ...noGrant },
    {
      row: 'P without client_id is not authenticated (RFC 6749 §4.4.2)',
      client: 'P',
      form: { client_id: undefined },
      status: 401,
      error: 'invalid_client',
      reason: 'client_authentication_missing',
    },
    {
      row: 'M with client_id alone is not authenticated (RFC 6749 §4.4)',
      client: 'P',
      form: { client_id: 'M' },
      status: 401,
      error: 'invalid_client',
      reason: 'client_authentication_method',
    },
    { row: 'A, which is registered for other grants, is refused (RFC 6749 §5.2)', client: 'A', form: {}, ...noGrant },
    { row: 'M may not request openid (OIDC Core §3.1.2.1)', form: { scope: 'openid' }, ...noScope },
    { row: 'M may not request offline_access (OIDC Core §11)', form: { scope: 'offline_access' }, ...noScope },
    {
      row: 'M may not request api.write, which is not assigned to it (RFC 6749 §3.3)',
      form: { scope: 'api.write' },
      ...noScope,
    },
    { row: 'M may not request an unknown scope (RFC 6749 §3.3)', form: { scope: 'admin' }, ...noScope },
    { row: 'a scope of spaces is refused (RFC 6749 §3.3)', form: { scope: ' ' }, ...noScope, reason: 'scope_missing' },
    ...['API.READ', 'api.read\0', 'api', 'api.*', '*', 'api.read,api.write', '__proto__'].map((scope) => ({
      row: `RFC 6749 §3.3: ${JSON.stringify(scope)} is not api.read`,
      form: { scope },
      ...noScope,
    })),
    {
      row: 'the password grant is not supported (RFC 9700 §2.4)',
      form: { grant_type: 'password', username: 'ann', password: 'pw-7351' },
      ...unknownGrant,
    },
    ...otherGrants.map((grant_type) => ({
      row: `${grant_type} is not supported (RFC 6749 §5.2)`,
      form: { grant_type },
      ...unknownGrant,
    })),
    ...['__proto__', 'constructor', 'toString', 'hasOwnProperty'].map((grant_type) => ({
      row: `${grant_type} names no grant (RFC 6749 §5.2)`,
      form: { grant_type },
      ...unknownGrant,
    })),
    ...otherSpellings.map((grant_type) => ({
      row: `RFC 6749 §4.4.2: ${JSON.stringify(grant_type)} names no grant`,
      form: { grant_type },
      ...unknownGrant,
    })),
    {
      row: 'M may not request another resource (RFC 8707 §2)',
      form: { resource: 'https://other.test' },
      ...noResource,
    },
    ...[
      'https://api.test//',
      'https://api.test:8443',
      'https://api.test#x',
      'api.test',
      'http://api.test',
      'https://as.test',
    ].map((resource) => ({
      row: `RFC 8707 §2: ${resource} is not https://api.test`,
      form: { resource },
      ...noResource,
    })),
  ]

  it.each(rows)('$row', async ({ client = 'M', form, status = 400, error, reason }) => {
    await expectJsonRefusal(
      site,
      { status, error },
      {
        send: () => serviceToken(site, form, client),
        reason,
        secrets: ['pw-7351', site.clients.M.secret],
      },
    )

    expect((await serviceToken(site)).status).toBe(200)
  })

  it('no event contains the password (RFC 9700 §2.4)', () => {
    expect(JSON.stringify(site.events)).not.toContain('pw-7351')
  })

  it('rejects two resources when one is unknown (RFC 8707 §2)', async () => {
    const body = 'grant_type=client_credentials&resource=https%3A%2F%2Fapi.test&resource=https%3A%2F%2Fother.test'

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_target' },
      {
        send: () => postForm(site, '/token', body, { authorization: basic('M', site.clients.M.secret) }),
        reason: 'resource_unknown',
      },
    )
  })

  it('rejects a public client even if it was registered for the grant (RFC 6749 §4.4)', async () => {
    const other = await startServer()
    onTestFinished(() => other.close())
    await changeClient(other.storage, clientId('P'), { grantTypes: ['client_credentials'] })

    await expectJsonRefusal(
      other,
      { status: 400, error: 'unauthorized_client' },
      {
        send: () => serviceToken(other, {}, 'P'),
        reason: 'client_public',
      },
    )
  })
})

describe('client_credentials: the response', () => {
  it('returns an access token for the client itself and nothing else (RFC 6749 §4.4.3, RFC 9700 §4.15)', async () => {
    const before = site.dump()

    const reply = await serviceToken(site)

    const { payload } = readJws(tokensOf(reply).access_token)
    expect(Object.keys(reply.json).toSorted()).toEqual(['access_token', 'expires_in', 'scope', 'token_type'])
    expect(payload).toMatchObject({ sub: 'M', client_id: 'M', scope: 'api.read', aud: 'https://api.test' })
    const claims = ['aud', 'client_id', 'client_ref', 'exp', 'iat', 'iss', 'jti', 'scope', 'sub']
    expect(Object.keys(payload).toSorted()).toEqual(claims)
    expect(site.dump()).toBe(before)
    expect(reply.header('cache-control')).toBe('no-store')
    expect(reply.header('pragma')).toBe('no-cache')
  })

  it('a token for a resource has only that audience (RFC 9068 §3)', async () => {
    const reply = await serviceToken(site, { resource: 'https://api.test' })

    expect(readJws(tokensOf(reply).access_token).payload['aud']).toBe('https://api.test')
  })

  it('a token for the issuer has no scope values of APIs, and needs others (RFC 8707 §2)', async () => {
    const scopes = { 'api.read': 'Read', 'api.write': 'Write', 'events.read': 'Read events' }
    const other = await startServer({ scopes })
    onTestFinished(() => other.close())
    await changeClient(other.storage, clientId('M'), { scopes: ['api.read', 'events.read'] })
    const resource = other.issuer

    const both = await serviceToken(other, { resource, scope: 'api.read events.read' })
    const ofApi = await serviceToken(other, { resource, scope: 'api.read' })

    expect(both.json).toMatchObject({ scope: 'events.read' })
    expect(readJws(tokensOf(both).access_token).payload['aud']).toBe(resource)
    expect([ofApi.status, ofApi.json['error']]).toEqual([400, 'invalid_target'])
  })

  it('a request without the scope parameter gets the scopes of the client, except scopes that concern a user (RFC 6749 §3.3)', async () => {
    const other = await startServer()
    onTestFinished(() => other.close())
    await changeClient(other.storage, clientId('M'), { scopes: ['openid', 'profile', 'offline_access', 'api.read'] })

    const reply = await serviceToken(other, { scope: undefined })

    expect(reply.json).toMatchObject({ scope: 'api.read' })
    expect(reply.json).not.toHaveProperty('id_token')
  })

  it('the tokens of a client that is disabled later are inactive (RFC 6749 §4.4)', async () => {
    const other = await startServer()
    onTestFinished(() => other.close())
    const { access_token } = tokensOf(await serviceToken(other, { resource: 'https://api.test' }))
    const live = (await introspect(other, access_token, 'RS')).json['active']
    await changeClient(other.storage, clientId('M'), { disabledAt: other.clock.now() })

    expect([live, (await introspect(other, access_token, 'RS')).text]).toEqual([true, '{"active":false}'])
  })

  it('ignores parameters that concern a user (RFC 6749 §4.4.2)', async () => {
    const form = { grant_type: 'client_credentials', username: 'U1', sub: 'U1', user_id: 'U1', client_id: 'M' }

    const reply = await postAs(site, 'M', { path: '/token', form })

    expect(readJws(tokensOf(reply).access_token).payload['sub']).toBe('M')
  })
})
