import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { expectErrorPage, expectErrorRedirect } from '../support/expect-refusal.ts'
import { answerInteraction, authorize, browserCookies, obtainCode, signedInAs } from '../support/flow.ts'
import type { Reply } from '../support/send.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

let site: ServerUnderTest

beforeEach(async () => {
  site = await startServer()
})

afterEach(() => site.close())

/** Presses the button "Cancel" of the page to which `started` redirects. */
async function cancel(started: Reply, headers: Record<string, string> = {}): Promise<Reply> {
  const cookie = browserCookies(started)
  const { pathname, search } = started.location
  const { json: shown } = await site.send({ path: pathname + search, headers: { cookie } })
  const url = new URL(String(shown['cancelUrl']))
  const path = url.pathname + url.search
  return site.send({ method: 'POST', path, headers: { cookie, origin: site.issuer, ...headers } })
}

describe('Cancel (RFC 6749 §4.1.2.1)', () => {
  it('on the sign-in page returns access_denied to the client, and stores nothing', async () => {
    const started = await authorize(site, {}, { cookie: '' })

    await expectErrorRedirect(site, { error: 'access_denied' }, { send: () => cancel(started), reason: undefined })

    expect(site.events.at(-1)).toMatchObject({ type: 'interaction.denied', clientId: 'A', reason: 'user_denied' })
  })

  it('on the account selection page does the same, and earlier consent stays', async () => {
    await obtainCode(site)
    const started = await authorize(site, { prompt: 'select_account' })

    const reply = await cancel(started)

    expect(reply.location.searchParams.get('error')).toBe('access_denied')
    expect((await authorize(site)).location.searchParams.has('code')).toBe(true)
  })

  it('ends an interaction in which a user has signed in, and a second press gets the same answer', async () => {
    const started = await authorize(site, { prompt: 'consent' })
    await answerInteraction(site, started, '')

    const first = await cancel(started)
    const { pathname, search } = started.location
    const cookie = browserCookies(started)
    const again = await site.send({
      method: 'POST',
      path: `/auth/cancel${search}`,
      headers: { cookie, origin: site.issuer },
    })

    expect(first.location.searchParams.get('error')).toBe('access_denied')
    expect(again.header('location')).toBe(first.header('location'))
    expect((await site.send({ path: pathname + search, headers: { cookie } })).status).toBe(400)
  })

  it('is refused if another site posts it, or another browser (RFC 9700 §4.7)', async () => {
    const started = await authorize(site, {}, { cookie: signedInAs(site, 'U1') })

    const fromElsewhere = () => cancel(started, { origin: 'https://evil.test' })
    await expectErrorPage(site, { send: fromElsewhere, reason: 'cross_site_post' }, 403)
    await expectErrorPage(site, { send: () => cancel(started, { cookie: '' }), reason: 'interaction_unknown' })
  })
})
