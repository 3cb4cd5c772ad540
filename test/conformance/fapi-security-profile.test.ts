import { createHash } from 'node:crypto'

import { generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createProofKey, proofForUserinfo, type ProofChange } from '../support/dpop.ts'
import { encode, postForm, verifier } from '../support/flow.ts'
import { readJws, signEs256, signNothing } from '../support/forge-jwt.ts'
import type { Reply } from '../support/send.ts'
import type { ServerUnderTest } from '../support/server-under-test.ts'
import { registerFapiClient, startFapiServer, type FapiClient, type FapiVariant } from './fapi-client.ts'

// What the modules of the OpenID Foundation's plan for the FAPI 2.0 Security Profile send, and what they accept as an answer.

let site: ServerUnderTest
beforeAll(async () => {
  site = await startFapiServer()
})
afterAll(() => site.close())

/** Returns status and error code of a response, such as `400 invalid_grant`. */
const refusal = ({ status, json }: Reply): string => `${status} ${String(json['error'])}`

const parametersOf = ({ location }: Reply): Readonly<Record<string, string>> =>
  Object.fromEntries(location.searchParams)

const privateKeyAndDpop: FapiVariant = { authentication: 'private_key_jwt', binding: 'dpop', profile: 'fapi2' }
const variants: readonly FapiVariant[] = [
  privateKeyAndDpop,
  { authentication: 'private_key_jwt', binding: 'mtls', profile: 'fapi2' },
  { authentication: 'tls_client_auth', binding: 'mtls', profile: 'fapi2' },
  { authentication: 'tls_client_auth', binding: 'dpop', profile: 'fapi2' },
]

describe.each(variants)('FAPI 2.0 with $authentication and $binding', (variant) => {
  let [client, other]: FapiClient[] = []
  const first = (): FapiClient => client ?? raise()
  const second = (): FapiClient => other ?? raise()
  beforeAll(async () => {
    client = await registerFapiClient(site, variant, { name: 'first' })
    other = await registerFapiClient(site, variant, { name: 'second', query: '?dummy1=lorem&dummy2=ipsum' })
  })

  const isDpop = variant.binding === 'dpop'
  const tokensOf = async (from: FapiClient, change = {}) => (await from.redeem(await from.code(change))).json

  describe('a good request', () => {
    it.each([
      ['state and nonce', {}],
      ['no state', { state: undefined }],
      ['no nonce', { nonce: undefined }],
      ['a nonce of 64 characters', { nonce: 'n'.repeat(64) }],
      ['a nonce of 384 characters', { nonce: 'n'.repeat(384) }],
      ['a state of 1000 characters', { state: 's'.repeat(1000) }],
      ['its scope values in another order', { scope: 'profile openid' }],
      [
        'a claims parameter',
        { claims: JSON.stringify({ id_token: { name: { essential: true } }, userinfo: { email: null } }) },
      ],
    ])('a request with %s gets tokens that the API accepts', async (_, change) => {
      for (const each of [first(), second()]) {
        const pushed = await each.push(change)
        const answered = await each.allow(await each.visit(pushed.json['request_uri']))
        const { code = '', iss, state } = parametersOf(answered)
        const tokens = await each.redeem(code)
        const read = await each.read(tokens.json['access_token'])

        expect([pushed.status, pushed.header('cache-control')]).toEqual([201, 'no-store'])
        expect(pushed.json).toMatchObject({ expires_in: 60 })
        expect(answered.location.href.startsWith(each.redirectUri)).toBe(true)
        const asked: { readonly state?: string | undefined; readonly nonce?: string | undefined } = {
          state: 's1',
          nonce: 'n1',
          ...change,
        }
        expect({ iss, state }).toEqual({ iss: site.issuer, state: asked.state })
        expect([tokens.status, tokens.json['token_type']]).toEqual([200, isDpop ? 'DPoP' : 'Bearer'])
        const { header, payload } = readJws(String(tokens.json['id_token']))
        expect(header['alg']).toBe('ES256')
        expect(payload).toMatchObject({ iss: site.issuer, aud: each.id, sub: 'U1' })
        expect(payload['nonce']).toBe(asked.nonce)
        expect(payload).not.toHaveProperty('s_hash')
        expect([read.status, read.json['sub']]).toEqual([200, 'U1'])
        expect(Date.parse(read.header('date') ?? '')).toBeGreaterThan(0)
      }
    })

    it('the scheme before an access token is case-insensitive', async () => {
      const { access_token } = await tokensOf(first())
      const scheme = isDpop ? 'dPOp' : 'bEARER'

      expect((await first().read(access_token, { authorization: `${scheme} ${String(access_token)}` })).status).toBe(
        200,
      )
    })

    it('parameters in addition to a request_uri are ignored', async () => {
      const pushed = await first().push()
      const again = { response_type: 'code', scope: 'openid profile', state: 'other', nonce: 'other' }

      const answered = await first().allow(await first().visit(pushed.json['request_uri'], again))

      expect(parametersOf(answered)).toMatchObject({ state: 's1' })
    })

    it('a request_uri can be visited again before the user has signed in', async () => {
      const pushed = await first().push()
      await first().visit(pushed.json['request_uri'])

      const answered = await first().allow(await first().visit(pushed.json['request_uri']))

      expect(parametersOf(answered)).toHaveProperty('code')
    })

    it('a refresh token works again after half a minute, and with another key', async () => {
      for (const each of [first(), second()]) {
        const { refresh_token } = await tokensOf(each, { scope: 'openid offline_access', prompt: 'consent' })
        const refreshed = await each.refresh(refresh_token)
        site.clock.advance(31)
        const again = await each.refresh(refresh_token)
        const rekeyed = await each.refresh(refresh_token, { proofKey: await createProofKey() })

        expect([refreshed.status, again.status, rekeyed.status]).toEqual([200, 200, 200])
        expect(refreshed.json['refresh_token'] ?? refresh_token).toBe(refresh_token)
        expect((await each.read(again.json['access_token'])).status).toBe(200)
      }
    })
  })

  describe('an authorization request', () => {
    it('the client gets the denial of the user', async () => {
      const pushed = await first().push()
      const visited = await first().visit(pushed.json['request_uri'])
      const { pathname, search } = visited.location
      const cookie = visited.cookies.map((each) => each.split(';', 1)[0]).join('; ')
      const denied = await postForm(site, pathname + search, 'deny', { cookie, origin: site.issuer })

      expect(parametersOf(denied)).toMatchObject({ error: 'access_denied', state: 's1', iss: site.issuer })
    })

    it.each([
      [
        'a redirect URI that is not registered',
        { redirect_uri: 'https://suite.test/callback/unregistered' },
        'invalid_request',
      ],
      ['no redirect URI', { redirect_uri: undefined }, 'invalid_request'],
      ['the response type code id_token', { response_type: 'code id_token' }, 'unsupported_response_type'],
      ['the response type token', { response_type: 'token' }, 'unsupported_response_type'],
      ['no code challenge', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
      [
        'the code challenge method plain',
        { code_challenge: verifier, code_challenge_method: 'plain' },
        'invalid_request',
      ],
      ['a request_uri', { request_uri: 'urn:ietf:params:oauth:request_uri:x' }, 'invalid_request'],
    ])('a pushed request with %s is refused', async (_, change, error) => {
      expect(refusal(await first().push(change))).toBe(`400 ${error}`)
    })

    it('a request that was not pushed is refused', async () => {
      const form = { response_type: 'code', redirect_uri: first().redirectUri, scope: 'openid', state: 's1' }
      const pkce = {
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      }

      const answered = await site.send({
        path: `/auth?${encode({ client_id: first().id, ...form, ...pkce })}`,
        headers: { cookie: '' },
      })

      expect(parametersOf(answered)).toMatchObject({ error: 'invalid_request', state: 's1' })
    })

    it('PUT is refused at the endpoint for pushed requests', async () => {
      const { status } = await site.send({
        method: 'PUT',
        path: '/auth/push',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'a=b',
      })

      expect(status).toBe(405)
    })

    it('a request_uri that was used, has expired or is of another client is refused', async () => {
      const [used, expired] = [await first().push(), await first().push()]
      await first().allow(await first().visit(used.json['request_uri']))
      const ofOther = await second().visit((await first().push()).json['request_uri'])
      const again = await first().visit(used.json['request_uri'])
      site.clock.advance(61)
      const late = await first().visit(expired.json['request_uri'])

      for (const page of [again, late, ofOther]) {
        expect([page.status, page.header('location')]).toEqual([400, undefined])
        expect(page.text).toContain('invalid_request_uri')
      }
    })
  })

  describe('a token or resource request', () => {
    it('a missing and a wrong code verifier are refused', async () => {
      const missing = await first().redeem(await first().code(), { code_verifier: undefined })
      const wrong = await first().redeem(await first().code(), { code_verifier: 'x'.repeat(43) })

      expect([refusal(missing), refusal(wrong)]).toEqual(['400 invalid_grant', '400 invalid_grant'])
    })

    it('the code of another client is refused', async () => {
      expect(refusal(await second().redeem(await first().code()))).toBe('400 invalid_grant')
    })

    it('a client_id that contradicts the client authentication is refused', async () => {
      const refused = await first().redeem(await first().code(), { client_id: second().id })

      expect(['401 invalid_client', '400 invalid_client', '400 invalid_grant']).toContain(refusal(refused))
    })

    it('a code that was used a second ago is refused, and its token is revoked', async () => {
      const code = await first().code()
      const { access_token } = (await first().redeem(code)).json
      site.clock.advance(1)
      const again = await first().redeem(code)

      expect(refusal(again)).toBe('400 invalid_grant')
      expect((await first().read(access_token)).status).toBe(401)
    })

    it('a code that is 62 seconds old is refused', async () => {
      const code = await first().code()
      site.clock.advance(62)

      expect(refusal(await first().redeem(code))).toBe('400 invalid_grant')
    })

    it('a code without a DPoP proof or certificate is refused', async () => {
      const refused = await first().redeem(await first().code(), {}, { proof: null, certificate: null })
      const isAuthentication = variant.authentication === 'tls_client_auth'
      const accepted = isAuthentication
        ? ['401 invalid_client', '400 invalid_client', '400 invalid_request']
        : ['400 invalid_request', '400 invalid_grant', '400 invalid_dpop_proof']

      expect(accepted).toContain(refusal(refused))
    })

    it('the refresh token of another client is refused', async () => {
      const { refresh_token } = await tokensOf(second(), { scope: 'openid offline_access', prompt: 'consent' })

      expect(refusal(await first().refresh(refresh_token))).toBe('400 invalid_grant')
    })

    it('a refresh without client authentication is refused', async () => {
      const { refresh_token } = await tokensOf(first(), { scope: 'openid offline_access', prompt: 'consent' })
      const refused = await first().refresh(refresh_token, { assertion: null, certificate: null })

      expect(['401 invalid_client', '400 invalid_client', '400 invalid_grant', '400 invalid_request']).toContain(
        refusal(refused),
      )
    })

    it('a refresh without a DPoP proof or certificate is refused', async () => {
      const { refresh_token } = await tokensOf(first(), { scope: 'openid offline_access', prompt: 'consent' })
      const refused = await first().refresh(refresh_token, { proof: null, certificate: null })

      expect(['400 invalid_request', '400 invalid_grant', '400 invalid_dpop_proof', '401 invalid_client']).toContain(
        refusal(refused),
      )
    })

    it('client credentials get a bound token without a refresh token, and no token without a DPoP proof or certificate', async () => {
      const { status, json } = await first().ownToken()
      const refused = await first().ownToken({ proof: null, certificate: null })

      expect([status, json['refresh_token']]).toEqual([200, undefined])
      const bound = isDpop ? { jkt: first().proofKey.jkt } : { 'x5t#S256': first().certificate.thumbprint }
      expect(readJws(String(json['access_token'])).payload['cnf']).toEqual(bound)
      expect([400, 401]).toContain(refused.status)
    })

    it('an access token with the key of another client is refused', async () => {
      const { access_token } = await tokensOf(second())
      const stolen = await second().read(
        access_token,
        {},
        { certificate: first().certificate, proofKey: first().proofKey },
      )

      expect(refusal(stolen)).toBe('401 invalid_token')
    })

    it('an access token in the query is refused', async () => {
      const { access_token } = await tokensOf(first())
      const { status } = await site.send({ path: `/userinfo?${encode({ access_token: String(access_token) })}` })

      expect(status).toBeGreaterThanOrEqual(400)
      expect(status).toBeLessThan(500)
    })
  })
})

describe('client assertions in a pushed request of FAPI 2.0', () => {
  let client: FapiClient | undefined
  const first = (): FapiClient => client ?? raise()
  const stranger = generateKeyPair('ES256')
  const rsa = generateKeyPair('RS256')
  beforeAll(async () => {
    client = await registerFapiClient(site, privateKeyAndDpop, { name: 'asserting' })
  })

  const now = () => site.clock.now()
  it.each([
    ['without sub', () => ({ claims: { sub: undefined } })],
    ['with another sub', () => ({ claims: { sub: 'someone' } })],
    ['without iss', () => ({ claims: { iss: undefined } })],
    ['with another iss', () => ({ claims: { iss: 'someone' } })],
    ['without aud', () => ({ claims: { aud: undefined } })],
    ['with another aud', () => ({ claims: { aud: 'https://other.test' } })],
    ['with the endpoint for pushed requests as aud', () => ({ claims: { aud: `${site.issuer}/auth/push` } })],
    ['with the token endpoint as aud', () => ({ claims: { aud: `${site.issuer}/token` } })],
    ['with a list as aud', () => ({ claims: { aud: [site.issuer, 'https://other.test'] } })],
    ['that expired five minutes ago', () => ({ claims: { exp: now() - 300 } })],
    ['from more than 60 seconds ahead', () => ({ claims: { iat: now() + 65, nbf: now() + 65, exp: now() + 125 } })],
    ['with alg none', () => ({ header: { alg: 'none' }, sign: signNothing(1) })],
    ['signed by somebody else', async () => ({ sign: signEs256((await stranger).privateKey) })],
    [
      'signed with RS256',
      async () => {
        const { privateKey } = await rsa
        const sign = async (input: Uint8Array) =>
          new Uint8Array(await crypto.subtle.sign('RSASSA-PKCS1-v1_5', privateKey, Buffer.from(input)))
        return { header: { alg: 'RS256' }, sign }
      },
    ],
  ])('one %s is refused', async (_, forge) => {
    expect(refusal(await first().push({}, { assertion: await forge() }))).toBe('401 invalid_client')
  })

  it.each([
    ['no assertion', { client_assertion: undefined, client_assertion_type: undefined }],
    ['no assertion type', { client_assertion_type: undefined }],
    ['another assertion type', { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer' }],
  ])('a request with %s is refused', async (_, change) => {
    const form = new URLSearchParams(String((await first().push()).sent.body))
    for (const [name, value] of Object.entries(change)) {
      form.delete(name)
      if (value !== undefined) form.set(name, value)
    }
    // The assertion that is sent was used by the first request.
    const refused = await postForm(site, '/auth/push', form.toString(), {})

    expect(['401 invalid_client', '400 invalid_client', '400 invalid_request']).toContain(refusal(refused))
  })

  it('one dated eight seconds ahead is accepted', async () => {
    const claims = { iat: now() + 8, nbf: now() + 8 }

    expect((await first().push({}, { assertion: { claims } })).status).toBe(201)
  })
})

describe('DPoP proofs in FAPI 2.0', () => {
  let client: FapiClient | undefined
  const first = (): FapiClient => client ?? raise()
  beforeAll(async () => {
    client = await registerFapiClient(site, privateKeyAndDpop, { name: 'proving' })
  })

  it.each([
    ['with nbf and exp', (now: number) => ({ nbf: now, exp: now + 60 })],
    ['from ten seconds ahead', (now: number) => ({ iat: now + 10 })],
    ['from ten seconds ago', (now: number) => ({ iat: now - 10 })],
  ])('a proof %s is accepted at every endpoint', async (_, claims) => {
    const proof = { claims: claims(site.clock.now()) }
    const tokens = await first().redeem(await first().code(), {}, { proof })
    const read = await first().read(tokens.json['access_token'], {}, { proof })

    expect([tokens.status, read.status]).toEqual([200, 200])
  })

  const atPush = { claims: { htu: 'https://as.test/auth/push' } }
  it.each([
    ['dpop_jkt', (jkt: string) => ({ change: { dpop_jkt: jkt }, credentials: {} })],
    ['a proof', () => ({ change: {}, credentials: { proof: atPush } })],
    ['both', (jkt: string) => ({ change: { dpop_jkt: jkt }, credentials: { proof: atPush } })],
  ])('a code that is bound by %s is redeemed only with this key', async (_, bind) => {
    const { change, credentials } = bind(first().proofKey.jkt)
    const [bound, stolen] = [await first().code(change, credentials), await first().code(change, credentials)]
    const own = await first().redeem(bound)
    const foreign = await first().redeem(stolen, {}, { proofKey: await createProofKey() })

    expect(own.status).toBe(200)
    expect(['400 invalid_request', '400 invalid_grant', '400 invalid_dpop_proof']).toContain(refusal(foreign))
  })

  it('a pushed request is refused if its proof has a key that does not match dpop_jkt', async () => {
    const { jkt } = await createProofKey()
    const refused = await first().push({ dpop_jkt: jkt }, { proof: atPush })

    expect(['400 invalid_request', '400 invalid_dpop_proof']).toContain(refusal(refused))
  })
})

describe('DPoP proofs at a resource of FAPI 2.0', () => {
  let client: FapiClient | undefined
  let accessToken = ''
  const first = (): FapiClient => client ?? raise()
  beforeAll(async () => {
    client = await registerFapiClient(site, privateKeyAndDpop, { name: 'reading' })
    accessToken = String((await first().redeem(await first().code())).json['access_token'])
  })
  const now = () => site.clock.now()

  it.each<[string, () => ProofChange]>([
    ['without typ', () => ({ header: { typ: undefined } })],
    ['with another typ', () => ({ header: { typ: 'JWT' } })],
    ['without alg', () => ({ header: { alg: undefined } })],
    ['with alg none', () => ({ header: { alg: 'none' }, sign: signNothing(1) })],
    ['with alg RS256', () => ({ header: { alg: 'RS256' } })],
    ['without jwk', () => ({ header: { jwk: undefined } })],
    ['with a private key', () => ({ header: { jwk: { ...first().proofKey.jwk, d: 'AQAB' } } })],
    ['without jti', () => ({ claims: { jti: undefined } })],
    ['without htm', () => ({ claims: { htm: undefined } })],
    ['for another method', () => ({ claims: { htm: 'POST' } })],
    ['without htu', () => ({ claims: { htu: undefined } })],
    ['for another address', () => ({ claims: { htu: `${site.issuer}/token` } })],
    ['without iat', () => ({ claims: { iat: undefined } })],
    ['without ath', () => ({ claims: { ath: undefined } })],
    ['with another ath', () => ({ claims: { ath: 'x'.repeat(43) } })],
    ['with a wrong signature', () => ({ sign: async () => new Uint8Array(64) })],
  ])('one %s is refused', async (_, change) => {
    expect(refusal(await first().read(accessToken, {}, { proof: change() }))).toBe('401 invalid_dpop_proof')
  })

  it.each([-3600, 3600])('one whose time is off by %s seconds is refused, and a nonce is offered', async (off) => {
    const reply = await first().read(accessToken, {}, { proof: { claims: { iat: now() + off } } })

    expect(refusal(reply)).toBe('401 use_dpop_nonce')
    const nonce = reply.header('dpop-nonce')
    expect((await first().read(accessToken, {}, { proof: { claims: { iat: now() + off, nonce } } })).status).toBe(200)
  })

  it.each<[string, () => ProofChange]>([
    ['with unknown members', () => ({ header: { extra: 1 }, claims: { extra: 1 } })],
    ['with a query and a fragment in htu', () => ({ claims: { htu: `${site.issuer}/userinfo?a=b#c` } })],
    ['with an upper-case scheme and host in htu', () => ({ claims: { htu: 'HTTPS://AS.TEST/userinfo' } })],
    ['with the default port in htu', () => ({ claims: { htu: 'https://as.test:443/userinfo' } })],
  ])('one %s is accepted', async (_, change) => {
    expect((await first().read(accessToken, {}, { proof: change() })).status).toBe(200)
  })

  it('a request without a proof, or with the token as a bearer token, is refused', async () => {
    const missing = await first().read(accessToken, {}, { proof: null })
    const bearer = await first().read(accessToken, { authorization: `Bearer ${accessToken}` })

    expect([missing.status, bearer.status]).toEqual([401, 401])
  })

  it('two proofs, a string that is not a JWT, and a used proof are refused', async () => {
    const proof = await proofForUserinfo(site, first().proofKey, accessToken)
    const send = (dpop: string | readonly string[]) =>
      site.send({ path: '/userinfo', headers: { authorization: `DPoP ${accessToken}`, dpop } })

    const replies = [await send([proof, proof]), await send('no.j.wt'), await send(proof), await send(proof)]

    expect(replies.map(({ status }) => status)).toEqual([401, 401, 200, 401])
  })
})

describe('the metadata of a server for FAPI 2.0', () => {
  it('has the members that the test plans require', async () => {
    const { status, json } = await site.send({ path: '/.well-known/openid-configuration' })

    expect(status).toBe(200)
    expect(json).toMatchObject({
      issuer: site.issuer,
      pushed_authorization_request_endpoint: `${site.issuer}/auth/push`,
      require_pushed_authorization_requests: true,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      tls_client_certificate_bound_access_tokens: true,
      claims_parameter_supported: true,
      mtls_endpoint_aliases: {
        token_endpoint: 'https://mtls.as.test/token',
        pushed_authorization_request_endpoint: 'https://mtls.as.test/auth/push',
      },
    })
    for (const list of [
      'id_token_signing_alg_values_supported',
      'token_endpoint_auth_signing_alg_values_supported',
      'dpop_signing_alg_values_supported',
      'request_object_signing_alg_values_supported',
      'authorization_signing_alg_values_supported',
    ])
      expect(json[list], list).toContain('ES256')
    expect(json['token_endpoint_auth_methods_supported']).toEqual(
      expect.arrayContaining(['private_key_jwt', 'tls_client_auth']),
    )
    expect(json['response_modes_supported']).toContain('jwt')
    expect(json['grant_types_supported']).toContain('refresh_token')
  })
})

function raise(): never {
  throw new Error('The client is not registered.')
}
