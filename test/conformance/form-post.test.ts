import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { answerInteraction, redeem } from '../support/flow.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { postedParameters } from '../support/interaction-steps.ts'
import { ask, open, refusalOf, signIn } from './sign-in.ts'

const formPost = { response_mode: 'form_post' }

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
  await signIn(site)
})
afterAll(() => site.close())

describe('response_mode', () => {
  it('form_post returns a form for the redirect URI with code, state and iss (Form Post Response Mode §2)', async () => {
    const page = await ask(site, formPost)

    const posted = Object.fromEntries(postedParameters(page))
    expect(page.status).toBe(200)
    expect(page.header('location')).toBeUndefined()
    expect(page.text).toContain('<form method="post" action="https://app.test/cb">')
    expect(posted).toEqual({ code: expect.any(String) as string, state: 's1', iss: site.issuer })
    expect((await redeem(site, posted['code'] ?? '')).status).toBe(200)
  })

  it.each([
    ['a request that cannot continue', { prompt: 'none login' }, 'invalid_request'],
    ['a request that must not prompt', { prompt: 'none', max_age: '0' }, 'login_required'],
    ['an unsupported response_type', { response_type: 'token' }, 'unsupported_response_type'],
  ])(
    'form_post also returns the error of %s to the client (Form Post Response Mode §2)',
    async (_title, change, error) => {
      const page = await open(site, { ...formPost, ...change }, 'U1')

      expect(page.status).toBe(200)
      expect(Object.fromEntries(postedParameters(page))).toMatchObject({ error, state: 's1', iss: site.issuer })
    },
  )

  it('form_post also returns a denial (Form Post Response Mode §2)', async () => {
    const started = await open(site, { ...formPost, scope: 'openid address' }, 'U1')

    const page = await answerInteraction(site, started, 'deny=yes')

    expect(Object.fromEntries(postedParameters(page))).toMatchObject({ error: 'access_denied', state: 's1' })
  })

  it('the page is not cached, can be framed only by its client and runs only its own script (Form Post Response Mode §4)', async () => {
    const page = await ask(site, formPost)

    expect(page.header('cache-control')).toBe('no-store')
    expect(page.header('referrer-policy')).toBe('no-referrer')
    expect(page.header('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'sha256-[\w+/=]+'; frame-ancestors https:\/\/app\.test;/,
    )
  })

  it.each(['"><script>alert(1)</script>', "' & &amp; <b>", 'Grüße, 世界'])(
    'the state %j arrives unchanged (Form Post Response Mode §2)',
    async (state) => {
      const page = await ask(site, { ...formPost, state })

      expect(postedParameters(page).get('state')).toBe(state)
      expect(page.text.match(/<script/g)).toHaveLength(1)
    },
  )

  it('query is the default for codes (Multiple Response Types §2.1)', async () => {
    const asked = await ask(site, { response_mode: 'query' })
    const byDefault = await ask(site)

    expect([asked.location.searchParams.has('code'), byDefault.location.searchParams.has('code')]).toEqual([true, true])
  })

  it.each(['fragment', 'web_message', 'jwt', 'Query'])('rejects %s (Multiple Response Types §2.1)', async (mode) => {
    const reply = await open(site, { response_mode: mode }, 'U1')

    expect(refusalOf(reply)).toMatchObject({ error: 'invalid_request', state: 's1' })
    expect(site.lastReason()).toBe('response_mode_unknown')
  })
})
