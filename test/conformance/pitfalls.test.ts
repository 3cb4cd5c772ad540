import { clientId } from '@mintmark/storage-interface'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { answerInteraction, authorize, redeem, signedInAs } from '../support/flow.ts'
import { expectErrorRedirect, expectErrorPage } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { postedParameters, visit } from '../support/interaction-steps.ts'
import { ask, logIn, open, outcomeOf, pageOf, requestUrl, signIn } from './sign-in.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
  await signIn(site)
})
afterAll(() => site.close())

describe('authorization endpoint: common server errors', () => {
  it('an unknown client is reported to the user, every later error to the client with state and iss (RFC 6749 §4.1.2.1)', async () => {
    await expectErrorPage(site, { reason: 'client_unknown', send: () => authorize(site, { client_id: 'nobody' }) })
    await expectErrorRedirect(
      site,
      { error: 'invalid_scope' },
      { reason: 'scope_missing', send: () => authorize(site, { scope: undefined }) },
    )
  })

  it.each([
    'https://app.test/cb/',
    'https://app.test/cb?',
    'https://app.test/c',
    'https://app.test/cb#',
    'https://APP.test/cb',
    'JavaScript:alert(1)',
    'https://app.test/cb\n',
  ])('%j does not match https://app.test/cb (RFC 9700 §2.1)', async (redirectUri) => {
    await expectErrorPage(site, {
      reason: 'redirect_uri_mismatch',
      send: () => authorize(site, { redirect_uri: redirectUri }),
    })
  })

  it('on loopback only the port may differ (RFC 8252 §7.3)', async () => {
    const native = { client_id: 'N' }

    const allowed = await visit(site, requestUrl(site, { ...native, redirect_uri: 'http://127.0.0.1:51004/cb' }))

    expect(allowed.location.origin).toBe('http://127.0.0.1:51004')
    for (const uri of [
      'http://127.0.0.1:51004/cb2',
      'http://127.0.0.1:51004/cb?x',
      'http://[::1]:51004/cb',
      'https://127.0.0.1:51004/cb',
      'http://localhost:51004/cb',
    ]) {
      await expectErrorPage(site, {
        reason: 'redirect_uri_mismatch',
        send: () => authorize(site, { ...native, redirect_uri: uri }),
      })
    }
  })

  it('redirect_uri is required even if only one is registered (OIDC Core §3.1.2.1)', async () => {
    await expectErrorPage(site, {
      reason: 'redirect_uri_missing',
      send: () => authorize(site, { redirect_uri: undefined }),
    })
  })

  it('rejects a repeated parameter, treats an empty one as absent and ignores an unknown one (RFC 6749 §3.1)', async () => {
    const { pathname, search } = requestUrl(site, { max_age: '', unheard_of: 'x' })
    const headers = { cookie: signedInAs(site, 'U1') }

    const reply = await site.send({ path: pathname + search, headers })

    expect(reply.location.searchParams.has('code')).toBe(true)
    await expectErrorRedirect(
      site,
      { error: 'invalid_request' },
      {
        reason: 'parameter_repeated',
        send: () => site.send({ path: `${pathname}${search}&nonce=n2`, headers }),
      },
    )
  })

  it('rejects a challenge without a method, which would mean plain (RFC 7636 §4.3)', async () => {
    await expectErrorRedirect(
      site,
      { error: 'invalid_request' },
      {
        reason: 'code_challenge_method',
        send: () => authorize(site, { code_challenge_method: undefined }),
      },
    )
  })

  it('offline_access is ignored where no refresh token can be issued (OIDC Core §11)', async () => {
    await changeClient(site.storage, clientId('A'), { grantTypes: ['authorization_code'] })

    const { tokens } = await signIn(site, { scope: 'openid offline_access' })

    expect([tokens['scope'], tokens['refresh_token']]).toEqual(['openid', undefined])
    await changeClient(site.storage, clientId('A'), { grantTypes: ['authorization_code', 'refresh_token'] })
  })

  it('prompt=none never shows a page and cannot be combined with other values (OIDC Core §3.1.2.6)', async () => {
    const noSession = { cookie: '' }

    await expectErrorRedirect(
      site,
      { error: 'login_required' },
      {
        reason: 'login_required',
        send: () => authorize(site, { prompt: 'none' }, noSession),
      },
    )
    await expectErrorRedirect(
      site,
      { error: 'consent_required' },
      {
        reason: 'consent_required',
        send: () => authorize(site, { prompt: 'none', scope: 'openid phone' }),
      },
    )
    await expectErrorRedirect(
      site,
      { error: 'invalid_request' },
      {
        reason: 'prompt_invalid',
        send: () => authorize(site, { prompt: 'none consent' }),
      },
    )
  })

  it('max_age=0 means prompt=login, and auth_time is present (OIDC Core §3.1.2.1)', async () => {
    const started = await open(site, { max_age: '0' }, 'U1')

    const { claims } = await outcomeOf(site, await logIn(site, started))

    expect(pageOf(site, started)).toBe('/login')
    expect(claims['auth_time']).toBe(site.clock.now())
  })

  it('default_max_age and require_auth_time are honoured (OIDC Registration §2)', async () => {
    await changeClient(site.storage, clientId('A'), { defaultMaxAge: 2, requireAuthTime: true })

    const started = await open(site, {}, 'U1')
    const { claims } = await outcomeOf(site, await logIn(site, started))

    expect(pageOf(site, started)).toBe('/login')
    expect(claims['auth_time']).toBe(site.clock.now())
    await changeClient(site.storage, clientId('A'), { defaultMaxAge: undefined, requireAuthTime: false })
  })

  it('an id_token_hint may have expired, and another user’s session is login_required (OIDC Core §3.1.2.1)', async () => {
    const { tokens } = await signIn(site)
    site.clock.advance(100_000)

    const same = await open(site, { id_token_hint: tokens['id_token'], prompt: 'none' }, 'U1')

    expect(same.location.searchParams.has('code')).toBe(true)
    await expectErrorRedirect(
      site,
      { error: 'login_required' },
      {
        reason: 'login_required',
        send: () => open(site, { id_token_hint: tokens['id_token'], prompt: 'none' }, 'somebody'),
      },
    )
  })

  it('the nonce is returned byte for byte (OIDC Core §3.1.3.7)', async () => {
    const nonce = ' +%20/ü"<&\\'

    const { claims } = await signIn(site, { nonce })

    expect(claims['nonce']).toBe(nonce)
  })

  it('an essential acr or a sub that is not satisfied is an error, but unsatisfied acr_values are ignored (OIDC Core §5.5.1.1)', async () => {
    const essential = JSON.stringify({ id_token: { acr: { essential: true, values: ['urn:gold'] } } })
    const sub = JSON.stringify({ id_token: { sub: { value: 'somebody' } } })
    const started = await open(site, { claims: essential }, 'U1')

    const unmet = await logIn(site, started, { acr: 'urn:lead' })
    const wished = await ask(site, { acr_values: 'urn:gold', claims: '{"unheard_of":{}}' })

    expect(unmet.location.searchParams.get('error')).toBe('unmet_authentication_requirements')
    expect(wished.location.searchParams.has('code')).toBe(true)
    await expectErrorRedirect(
      site,
      { error: 'login_required' },
      {
        reason: 'login_required',
        send: () => authorize(site, { claims: sub, prompt: 'none' }),
      },
    )
  })

  it('iss is in success and error responses, and advertised (RFC 9207 §2)', async () => {
    const success = await ask(site)
    const error = await authorize(site, { prompt: 'x' })
    const { json } = await site.send({ path: '/.well-known/openid-configuration' })

    expect([success, error].map(({ location }) => location.searchParams.get('iss'))).toEqual([site.issuer, site.issuer])
    expect(json['authorization_response_iss_parameter_supported']).toBe(true)
  })

  it('errors use form_post too, uncached, under a strict policy (Form Post Response Mode §2)', async () => {
    const page = await authorize(site, { response_mode: 'form_post', prompt: 'x' })

    expect(postedParameters(page).get('error')).toBe('invalid_request')
    expect(page.header('cache-control')).toBe('no-store')
    expect(page.header('content-security-policy')).toContain("default-src 'none'")
  })

  it('no token travels through the browser, so no response_type requests one (Multiple Response Types §5)', async () => {
    for (const type of ['token', 'id_token', 'code id_token', 'code token', 'code id_token token', 'none']) {
      await expectErrorRedirect(
        site,
        { error: 'unsupported_response_type', part: type === 'none' ? 'query' : 'fragment' },
        {
          reason: 'response_type_unsupported',
          send: () => authorize(site, { response_type: type }),
        },
      )
    }
  })

  it('every redirect is a 303, even after a form with credentials (RFC 9700 §4.12)', async () => {
    const started = await open(site)

    const signedIn = await answerInteraction(site, started, `subject=U1&auth_time=${site.clock.now()}`)

    expect([started.status, signedIn.status]).toEqual([303, 303])
  })

  it('our pages cannot be framed (RFC 9700 §4.16)', async () => {
    const page = await authorize(site, { client_id: undefined })

    expect(page.header('x-frame-options')).toBe('DENY')
    expect(page.header('content-security-policy')).toContain("frame-ancestors 'none'")
  })

  it('scripts of other origins cannot read the authorization endpoint (RFC 9700 §2.6)', async () => {
    const headers = { origin: 'https://spa.test', cookie: signedInAs(site, 'U1') }

    const answer = await authorize(site, {}, headers)
    const preflight = await site.send({
      method: 'OPTIONS',
      path: '/auth',
      headers: { origin: 'https://spa.test', 'access-control-request-method': 'GET' },
    })

    expect([answer, preflight].map((reply) => reply.header('access-control-allow-origin'))).toEqual([
      undefined,
      undefined,
    ])
    expect(preflight.status).toBe(405)
  })

  it('scope is case-sensitive, its order is irrelevant, and the granted scope is returned (RFC 6749 §3.3, §5.1)', async () => {
    const { tokens } = await outcomeOf(site, await ask(site, { scope: 'email OPENID openid profile email' }))

    expect(tokens['scope']).toBe('email openid profile')
  })

  it('a code is unusable once redeemed (RFC 6749 §4.1.2)', async () => {
    const code = (await ask(site)).location.searchParams.get('code') ?? ''

    const replies = [await redeem(site, code), await redeem(site, code)]

    expect(replies.map(({ status }) => status)).toEqual([200, 400])
  })
})
