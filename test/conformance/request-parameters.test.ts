import { userId } from '@mintmark/storage-interface'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { baseRequest, encode, postForm, signedInAs } from '../support/flow.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { ask, logIn, open, outcomeOf, pageOf, refusalOf, signIn } from './sign-in.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
  await signIn(site)
})
afterAll(() => site.close())
beforeEach(() => site.clock.advance(60))

/** Returns the details of the request that the host's page receives. */
const pending = async (change: Readonly<Record<string, string>>) => {
  const started = await open(site, change)
  const cookie = started.cookies.map((value) => value.split(';', 1)[0]).join('; ')
  return site.send({ path: started.location.pathname + started.location.search, headers: { cookie } })
}

describe('parameters passed to the host’s page', () => {
  it('login_hint, unchanged (OIDC Core §3.1.2.1)', async () => {
    const page = await pending({ login_hint: 'jane+doe@example.test' })

    expect(page.json['loginHint']).toBe('jane+doe@example.test')
  })

  it('ui_locales in order of preference, without invalid language tags (OIDC Core §3.1.2.1)', async () => {
    const page = await pending({ ui_locales: 'fr-CA <b> fr en' })

    expect(page.json['uiLocales']).toEqual(['fr-CA', 'fr', 'en'])
  })

  it('acr_values in order of preference (OIDC Core §3.1.2.1)', async () => {
    const page = await pending({ acr_values: 'urn:gold urn:silver' })

    expect(page.json['acrValues']).toEqual(['urn:gold', 'urn:silver'])
  })
})

describe('parameters that are accepted or ignored', () => {
  it.each([
    ['display=page (OIDC Core §3.1.2.1)', { display: 'page' }],
    ['display=popup (OIDC Core §3.1.2.1)', { display: 'popup' }],
    ['an unknown display (OIDC Core §3.1.2.1)', { display: 'hologram' }],
    ['unknown ui_locales (OIDC Core §3.1.2.1)', { ui_locales: 'tlh xx-XX' }],
    ['claims_locales (OIDC Core §5.2)', { claims_locales: 'se de fr' }],
    ['acr_values that cannot be met (OIDC Core §3.1.2.1)', { acr_values: 'urn:platinum 1 2' }],
    ['an unknown parameter (RFC 6749 §3.1)', { extra: 'foobar' }],
    ['parameters without a value (RFC 6749 §3.1)', { display: '', prompt: '', max_age: '', claims: '', request: '' }],
    ['scope values in another order (RFC 6749 §3.3)', { scope: 'profile openid' }],
    ['an unknown scope value (RFC 6749 §3.3)', { scope: 'openid profile unheard-of' }],
    ['no state (OIDC Core §3.1.2.1)', { state: undefined }],
    ['no nonce (OIDC Core §3.1.2.1)', { nonce: undefined }],
  ])('%s', async (_title, change) => {
    const reply = await open(site, change, 'U1')

    expect((await outcomeOf(site, reply)).claims.sub).toBe('U1')
  })

  it('a POST gets the same answer as a GET (OIDC Core §3.1.2.1)', async () => {
    const headers = { cookie: signedInAs(site, 'U1') }

    const reply = await postForm(site, '/auth', encode(baseRequest), headers)

    expect((await outcomeOf(site, reply)).claims.sub).toBe('U1')
  })

  it('a confidential client that is not registered for PKCE may omit it (RFC 9700 §2.1.1)', async () => {
    const redirectUri = 'https://x.test/cb'
    const reply = await ask(site, {
      client_id: 'X',
      redirect_uri: redirectUri,
      code_challenge: undefined,
      code_challenge_method: undefined,
    })

    const code = reply.location.searchParams.get('code') ?? undefined
    const form = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      client_id: 'X',
      client_secret: site.clients.X.secret,
    }
    const answered = await postForm(site, '/token', encode(form), {})

    expect(answered.status).toBe(200)
  })
})

describe('state', () => {
  it.each(['s', 'a b+c%20&=?#"\'<>', 'Grüße, 世界', 'x'.repeat(1024)])(
    'returns %j unchanged (RFC 6749 §4.1.2)',
    async (state) => {
      const success = await open(site, { state }, 'U1')
      const refusal = await open(site, { state, prompt: 'none login' }, 'U1')

      expect(success.location.searchParams.get('state')).toBe(state)
      expect(refusal.location.searchParams.get('state')).toBe(state)
    },
  )
})

describe('rejected requests', () => {
  it.each([
    ['no response_type (RFC 6749 §3.1.1)', { response_type: undefined }, 'invalid_request', 'response_type_missing'],
    [
      'an unknown response_type (RFC 6749 §4.1.2.1)',
      { response_type: 'magic' },
      'unsupported_response_type',
      'response_type_unsupported',
    ],
    ['no scope (RFC 6749 §3.3)', { scope: undefined }, 'invalid_scope', 'scope_missing'],
    [
      'a request object (OIDC Core §6.1)',
      { request: 'eyJhbGciOiJub25lIn0.e30.' },
      'request_not_supported',
      'parameter_unsupported',
    ],
    [
      'a request object by reference (OIDC Core §6.2)',
      { request_uri: 'https://a.test/r' },
      'request_uri_not_supported',
      'parameter_unsupported',
    ],
    [
      'registration in the request (OIDC Core §7.2.1)',
      { registration: '{}' },
      'registration_not_supported',
      'parameter_unsupported',
    ],
  ])('%s', async (_title, change, error, reason) => {
    const reply = await open(site, change, 'U1')

    expect(refusalOf(reply)).toMatchObject({ error, state: 's1', iss: site.issuer })
    expect(site.lastReason()).toBe(reason)
  })

  it('reports access_denied when the user denies consent (RFC 6749 §4.1.2.1)', async () => {
    const started = await open(site)

    const reply = await logIn(site, started, { deny: 'yes' })

    expect(refusalOf(reply)).toMatchObject({ error: 'access_denied', state: 's1', iss: site.issuer })
    expect(pageOf(site, reply)).toBeUndefined()
  })
})

describe('id_token_hint', () => {
  it('an expired hint still identifies the user (OIDC Core §3.1.2.1)', async () => {
    const { tokens } = await signIn(site)
    site.clock.advance(7200)

    const reply = await open(site, { id_token_hint: tokens['id_token'] }, 'U1')

    expect((await outcomeOf(site, reply)).claims.sub).toBe('U1')
  })

  it('another user’s session is not accepted, nor is a sign-in as that user (OIDC Core §3.1.2.2)', async () => {
    await site.storage.users.insert({ userId: userId('U9'), claims: {}, createdAt: site.clock.now() })
    const { tokens } = await signIn(site)
    const started = await open(site, { id_token_hint: tokens['id_token'] }, 'U9')

    const again = await logIn(site, started, { subject: 'U9' })
    const right = await logIn(site, started, { subject: 'U1' })

    expect(pageOf(site, started)).toBe('/login')
    expect(pageOf(site, again)).toBe('/login')
    expect((await outcomeOf(site, right)).claims.sub).toBe('U1')
  })

  it.each([
    ['an access token', 'access_token'],
    ['a refresh token', 'refresh_token'],
  ])('rejects %s as a hint (OIDC Core §3.1.2.1)', async (_title, kind) => {
    const { tokens } = await signIn(site, { scope: 'openid offline_access' })

    const reply = await open(site, { id_token_hint: tokens[kind] }, 'U1')

    expect(refusalOf(reply)).toMatchObject({ error: 'invalid_request' })
    expect(site.lastReason()).toBe('id_token_hint_invalid')
  })
})
