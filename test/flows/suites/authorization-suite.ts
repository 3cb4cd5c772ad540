import { expect, it } from 'vitest'

import { answerInteraction, authorize, browserCookie, encode, obtainCode, redeem } from '../../support/flow.ts'
import { postAs } from '../../support/token-calls.ts'
import { postedParameters } from '../../support/interaction-steps.ts'
import { verifyIdToken } from './verify-id-token.ts'
import type { Suite } from './suite.ts'

export const authorizationSuite: Suite = (reach) => {
  it('a user signs in and consents, the code is in the query, and an ID token identifies the user (RFC 6749 §4.1, OIDC Core §3.1)', async () => {
    const site = reach()
    const started = await authorize(site, { prompt: 'login consent' }, { cookie: '' })
    const done = await answerInteraction(
      site,
      started,
      `subject=U1&auth_time=${site.clock.now()}&scope=openid&scope=profile`,
    )

    expect(started.status).toBe(303)
    expect(started.location.href).toMatch(/^https:\/\/as\.test\/login\?interaction=[\w.-]+$/)
    expect(browserCookie(started)).toMatch(/^__Host-mintmark-browser=[\w-]{86}$/)
    const { searchParams, origin, pathname } = done.location
    expect([origin + pathname, searchParams.get('state'), searchParams.get('iss')]).toEqual([
      'https://app.test/cb',
      's1',
      site.issuer,
    ])

    const reply = await redeem(site, searchParams.get('code') ?? '')

    expect(reply.status).toBe(200)
    expect(reply.header('cache-control')).toBe('no-store')
    expect(await verifyIdToken(site, reply)).toMatchObject({ sub: 'U1', aud: 'A', nonce: 'n1' })
  })

  it('the client gets the code in a form (Form Post Response Mode §2)', async () => {
    const site = reach()
    const started = await authorize(site, { response_mode: 'form_post', prompt: 'consent' })
    const page = await answerInteraction(site, started, 'scope=openid&scope=profile')
    const { code = '', ...rest } = Object.fromEntries(postedParameters(page))

    expect([page.status, page.header('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(rest).toEqual({ state: 's1', iss: site.issuer })
    expect((await redeem(site, code)).status).toBe(200)
  })

  it('a POST gets the same answer as a GET (OIDC Core §3.1.2.1)', async () => {
    const site = reach()
    const body = encode({ response_type: 'token', client_id: 'A', redirect_uri: 'https://app.test/cb', state: 's1' })

    const reply = await site.send({
      method: 'POST',
      path: '/auth',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
    })

    const error = new URLSearchParams(reply.location.hash.slice(1)).get('error')
    expect([reply.status, error]).toEqual([303, 'unsupported_response_type'])
  })

  it.each([
    ['P (public)', 'P', 'https://spa.test/cb'],
    ['B (private_key_jwt)', 'B', 'https://b.test/cb'],
  ] as const)(
    'the client %s redeems with the verifier and not without it (RFC 7636 §4.6)',
    async (_, client, redirect_uri) => {
      const site = reach()
      const codes = [
        await obtainCode(site, { client_id: client, redirect_uri }),
        await obtainCode(site, { client_id: client, redirect_uri }),
      ]
      const present = (code: string | undefined, code_verifier: string) =>
        postAs(site, client, {
          path: '/token',
          form: { grant_type: 'authorization_code', code, redirect_uri, code_verifier },
        })

      const wrong = await present(codes[0], 'x'.repeat(43))
      const right = await present(codes[1], 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')

      expect([wrong.status, wrong.json['error']]).toEqual([400, 'invalid_grant'])
      expect(right.status).toBe(200)
    },
  )

  it('a code works once (RFC 6749 §4.1.2)', async () => {
    const site = reach()
    const code = await obtainCode(site)

    const statuses = [(await redeem(site, code)).status, (await redeem(site, code)).status]

    expect(statuses).toEqual([200, 400])
  })

  it('the client is told that the user denied consent (RFC 6749 §4.1.2.1)', async () => {
    const site = reach()
    const started = await authorize(site, { prompt: 'consent' })

    const reply = await answerInteraction(site, started, 'deny=1')

    expect(reply.location.searchParams.get('error')).toBe('access_denied')
  })

  it('an unregistered redirect URI gets a page and no redirect (RFC 6749 §4.1.2.1)', async () => {
    const reply = await authorize(reach(), { redirect_uri: 'https://evil.test/cb' })

    expect([reply.status, reply.header('location'), reply.header('content-type')]).toEqual([
      400,
      undefined,
      'text/html; charset=utf-8',
    ])
  })
}
