import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { authorize, browserCookies } from '../support/flow.ts'
import { expectServing, expectErrorPage } from '../support/expect-refusal.ts'
import type { Reply } from '../support/send.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
  await expectServing(site)
})
afterAll(() => site.close())

/** The response to a request that waits for consent. */
let started: Reply
beforeEach(async () => {
  started = await authorize(site, { prompt: 'consent' })
})

const consent = 'scope=openid&scope=profile'

/** Posts a form to the host's page with the browser's cookie and the given headers. */
const post = (body: string, headers: Readonly<Record<string, string>>): Promise<Reply> =>
  site.send({
    method: 'POST',
    path: started.location.pathname + started.location.search,
    headers: { 'content-type': 'application/x-www-form-urlencoded', cookie: browserCookies(started), ...headers },
    body,
  })

describe('a form that another site posts to the host’s page (RFC 9700 §4.7)', () => {
  it.each([
    ['has Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site' }],
    [
      'has Sec-Fetch-Site: cross-site and a forged Origin',
      { 'sec-fetch-site': 'cross-site', origin: 'https://as.test' },
    ],
    ['is from a sibling host', { 'sec-fetch-site': 'same-site', origin: 'https://evil.as.test' }],
    ['has Sec-Fetch-Site: none', { 'sec-fetch-site': 'none' }],
    ['has two values of Sec-Fetch-Site', { 'sec-fetch-site': 'same-origin, cross-site' }],
    ['has an unknown value of Sec-Fetch-Site', { 'sec-fetch-site': 'SAME-ORIGIN' }],
    ['has an empty Sec-Fetch-Site', { 'sec-fetch-site': '', origin: 'https://as.test' }],
    ['has no Sec-Fetch-Site and the Origin of another site', { origin: 'https://evil.test' }],
    ['has no Sec-Fetch-Site and an Origin with http', { origin: 'http://as.test' }],
    ['has no Sec-Fetch-Site and an Origin with another port', { origin: 'https://as.test:8443' }],
    [
      'has no Sec-Fetch-Site and an Origin that only starts like this server’s',
      { origin: 'https://as.test.evil.test' },
    ],
    ['has no Sec-Fetch-Site and the Origin null of a sandbox', { origin: 'null' }],
    ['has only a referrer', { referer: 'https://as.test/login' }],
    ['has none of these headers', {}],
  ])('is rejected when it %s', async (_, headers) => {
    for (const body of [consent, 'deny']) {
      await expectErrorPage(site, { send: () => post(body, headers), reason: 'cross_site_post' }, 403)
    }
  })

  it.each([
    ['Sec-Fetch-Site', { 'sec-fetch-site': 'same-origin' }],
    ['Origin', { origin: 'https://as.test' }],
    ['both', { 'sec-fetch-site': 'same-origin', origin: 'https://as.test' }],
  ])('is accepted from the host itself: %s', async (_, headers) => {
    const done = await post(consent, headers)

    expect(done.location.searchParams.has('code')).toBe(true)
  })
})
