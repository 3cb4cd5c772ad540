import { registerClient, type SignedIn } from '@mintmark/core'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { baseRequest, encode, postForm, verifier, type Change } from '../support/flow.ts'
import type { Reply } from '../support/send.ts'
import { consent } from '../support/interaction-steps.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

// The requirements of IPSIE SL1 (draft of 2 September 2025) for an OpenID Provider.

const redirect = 'https://rp.test/cb'
let site: ServerUnderTest
/** What the host says of the browser's session; `undefined` when nobody is signed in. */
let session: SignedIn | undefined
const complete = (): SignedIn => ({
  subject: 'U1',
  authTime: site.clock.now() - 5,
  acr: 'urn:acr:mfa',
  amr: ['pwd', 'otp'],
  expiresAt: site.clock.now() + 3600,
})

beforeAll(async () => {
  site = await startServer({ signedIn: () => Promise.resolve(session) })
  await register({ clientId: 'rp' })
})
afterAll(() => site.close())
beforeEach(() => {
  session = complete()
})

const register = (change: object) =>
  registerClient(
    {
      clientId: 'rp',
      clientName: 'RP',
      profile: 'ipsie_sl1',
      tokenEndpointAuthMethod: 'none',
      redirectUris: [redirect],
      grantTypes: ['authorization_code', 'refresh_token'],
      scopes: ['openid', 'profile', 'offline_access', 'api.read'],
      ...change,
    },
    { storage: site.storage, clock: site.clock.now },
  )

const visit = (change: Change = {}): Promise<Reply> =>
  site.send({ path: `/auth?${encode({ ...baseRequest, client_id: 'rp', redirect_uri: redirect, ...change })}` })

const redeem = (code: string | null, change: Change = {}): Promise<Reply> => {
  const grant = { grant_type: 'authorization_code', code: code ?? '', redirect_uri: redirect, code_verifier: verifier }
  return postForm(site, '/token', encode({ ...grant, client_id: 'rp', ...change }), {})
}

/** Signs in with the host's session and consents to everything. */
async function signIn(change: Change = {}): Promise<{ readonly answered: Reply; readonly tokens: Reply }> {
  const started = await visit(change)
  const answered = started.location.searchParams.has('code') ? started : await consent(site, started)
  return { answered, tokens: await redeem(answered.location.searchParams.get('code')) }
}

const errorOf = ({ location }: Reply) =>
  location.searchParams.get('error') ?? new URLSearchParams(location.hash.slice(1)).get('error')

const idTokenOf = ({ json }: Reply) => decodeJwt(String(json['id_token']))

describe('an ID token of a client with the profile ipsie_sl1', () => {
  it('has one audience as a string, acr, amr, auth_time and session_expiry (IPSIE SL1 §3.2.1)', async () => {
    const { tokens } = await signIn()

    expect(idTokenOf(tokens)).toMatchObject({
      aud: 'rp',
      acr: 'urn:acr:mfa',
      amr: ['pwd', 'otp'],
      auth_time: session?.authTime,
      session_expiry: session?.expiresAt,
    })
  })

  it('keeps session_expiry when it is refreshed (IPSIE SL1 §3.2.1)', async () => {
    const { tokens } = await signIn({ scope: 'openid offline_access', prompt: 'consent' })
    const ends = session?.expiresAt
    session = { ...complete(), expiresAt: site.clock.now() + 9999 }

    const form = { grant_type: 'refresh_token', refresh_token: String(tokens.json['refresh_token']), client_id: 'rp' }
    const refreshed = await postForm(site, '/token', encode(form), {})

    expect(idTokenOf(refreshed)['session_expiry']).toBe(ends)
  })

  it.each(['acr', 'amr', 'expiresAt'] as const)(
    'is not issued without %s: the user signs in again, and then the request fails (IPSIE SL1 §3.2.1)',
    async (name) => {
      session = { ...complete(), [name]: undefined }
      const started = await visit()
      session = { ...session, authTime: site.clock.now() }
      const answered = await visit({ prompt: 'none' })
      const before = site.dump()

      expect(started.location.pathname).toBe('/login')
      expect(errorOf(answered)).toBe('login_required')
      const failed = await postLogin(started)
      expect(errorOf(failed)).toBe('server_error')
      expect(site.events.findLast((event) => event.type === 'request.refused')).toMatchObject({
        reason: 'authentication_context_missing',
        context: { clientId: 'rp', missingMembers: [name] },
      })
      expect(site.dump()).toBe(before)
    },
  )

  it('is not issued for a session that has ended (IPSIE SL1 §3.2.1)', async () => {
    session = { ...complete(), expiresAt: site.clock.now() }

    expect((await visit()).location.pathname).toBe('/login')
  })

  /** Completes the sign-in with what the host says of the session. */
  async function postLogin(started: Reply): Promise<Reply> {
    const { acr, amr = [], expiresAt } = session ?? complete()
    const signedIn = { subject: 'U1', auth_time: String(site.clock.now()), acr, amr: amr.join(' ') }
    const cookie = started.cookies.map((each) => each.split(';', 1)[0]).join('; ')
    const { pathname, search } = started.location
    const form = encode({ ...signedIn, ...(expiresAt !== undefined && { expires_at: String(expiresAt) }) })
    return postForm(site, pathname + search, form, { cookie, origin: site.issuer })
  }
})

describe('a request of a client with the profile ipsie_sl1', () => {
  it('gets an access token for the claims at this server and nothing else (IPSIE SL1 §3.2.1)', async () => {
    const { tokens } = await signIn({ scope: 'openid profile api.read' })

    expect(tokens.json['scope']).toBe('openid profile')
    expect(decodeJwt(String(tokens.json['access_token'])).aud).toEqual(site.issuer)
  })

  it('is refused if it names an API (IPSIE SL1 §3.2.1)', async () => {
    expect(errorOf(await visit({ resource: 'https://api.test' }))).toBe('invalid_target')
    expect(site.lastReason()).toBe('resource_not_registered')
  })

  it.each([
    ['no PKCE challenge', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['the response type token', { response_type: 'token' }, 'unsupported_response_type'],
  ])('is refused with %s (IPSIE SL1 §3.2.1)', async (_, change, error) => {
    expect(errorOf(await visit(change))).toBe(error)
  })

  it.each([`${redirect}/`, `${redirect}?a=b`, 'https://RP.test/cb'])(
    'is refused with %s, which is not exactly the registered redirect URI (IPSIE SL1 §3.2.1)',
    async (uri) => {
      const shown = await visit({ redirect_uri: uri })

      expect([shown.status, shown.header('location')]).toEqual([400, undefined])
    },
  )

  it('is answered with the issuer, and its code works once and for 60 seconds (IPSIE SL1 §3.2.1)', async () => {
    const { answered, tokens } = await signIn()
    const again = await redeem(answered.location.searchParams.get('code'))
    const late = await visit()
    site.clock.advance(61)

    expect(answered.location.searchParams.get('iss')).toBe(site.issuer)
    expect([tokens.status, again.status]).toEqual([200, 400])
    expect((await redeem(late.location.searchParams.get('code'))).json['error']).toBe('invalid_grant')
  })

  it('with max_age makes a user who signed in before sign in again (IPSIE SL1 §3.2.1)', async () => {
    expect((await visit({ max_age: '4' })).location.pathname).toBe('/login')
    expect((await visit({ max_age: '60' })).location.pathname).not.toBe('/login')
  })

  it('with a nonce of 64 characters gets it back (IPSIE SL1 §3.2.1)', async () => {
    const nonce = 'n'.repeat(64)

    expect(idTokenOf((await signIn({ nonce })).tokens)['nonce']).toBe(nonce)
  })
})

describe('a registration with the profile ipsie_sl1', () => {
  it.each([
    ['a redirect URI with http on loopback', { redirectUris: ['http://127.0.0.1/cb'] }, 'redirect_uris must use https'],
    ['a private-use scheme', { redirectUris: ['com.example.app:/cb'] }, 'redirect_uris must use https'],
    ['another grant type', { grantTypes: ['client_credentials'] }, 'grant_types must be among'],
    ['an API', { resources: ['https://api.test'] }, 'resources must be empty'],
    ['a type of authorization details', { authorizationDetailsTypes: ['payment'] }, 'authorization_details_types'],
    ['RS256', { idTokenSignedResponseAlg: 'RS256' }, 'id_token_signed_response_alg must be one of'],
    ['the token endpoint as audience', { allowTokenEndpointAudience: true }, 'allow_token_endpoint_audience'],
  ])('is rejected with %s (IPSIE SL1 §3.2.1)', async (_, change, clause) => {
    const before = site.dump()

    await expect(register({ clientId: 'other', ...change })).rejects.toMatchObject({
      code: 'invalid_client_metadata',
      description: expect.stringContaining(clause) as string,
    })
    expect(site.dump()).toBe(before)
  })

  it('is rejected for a client that no administrator has registered (IPSIE SL1 §3.2.1)', async () => {
    await register({ clientId: 'stranger' })
    const stored = (await site.storage.clients.list({ after: undefined, limit: 100 })).find(
      ({ clientId }) => clientId === 'stranger',
    )
    if (stored !== undefined)
      await site.storage.clients.compareAndSwap({ ...stored, origin: 'open_registration' }, stored.version)

    expect(errorOf(await visit({ client_id: 'stranger' }))).toBe('unauthorized_client')
    expect(site.lastReason()).toBe('profile_contradicted')
  })
})
