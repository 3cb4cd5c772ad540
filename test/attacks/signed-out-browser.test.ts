import { createCookieSessions } from '@mintmark/core'
import type { Header, ServerRequest } from '@mintmark/core/http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { authorize, browserCookie } from '../support/flow.ts'
import { expectServing, expectErrorPage } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
  await expectServing(site)
})
afterAll(() => site.close())

/** Returns the browser's cookies after a response, without the cookies that it expires. */
function cookiesAfter(cookies: ReadonlyMap<string, string>, headers: readonly Header[]): ReadonlyMap<string, string> {
  const stored = new Map(cookies)
  for (const [, header] of headers) {
    const [name = '', value = ''] = header.split(';', 1)[0]?.split('=') ?? []
    if (header.includes('Max-Age=0')) stored.delete(name)
    else stored.set(name, value)
  }
  return stored
}

const cookieHeader = (cookies: ReadonlyMap<string, string>): string =>
  [...cookies].map((pair) => pair.join('=')).join('; ')

describe('a shared machine (RFC 9700 §4.7)', () => {
  it('after a sign-out, another user cannot go back and consent for the previous user', async () => {
    const sessions = createCookieSessions({ storage: site.storage, clock: site.clock.now })
    const started = await authorize(site, { prompt: 'consent' })
    const [name = '', value = ''] = browserCookie(started).split('=')
    const before = new Map([[name, value]])
    const request: ServerRequest = {
      method: 'POST',
      url: new URL(`${site.issuer}/sign-out`),
      headers: new Map([['cookie', cookieHeader(before)]]),
      repeatedHeaders: new Set(),
      host: undefined,
      body: new Uint8Array(),
    }

    const after = cookiesAfter(before, await sessions.end(request))

    await expectErrorPage(site, {
      send: () =>
        site.send({
          method: 'POST',
          path: started.location.pathname + started.location.search,
          headers: {
            cookie: cookieHeader(after),
            'sec-fetch-site': 'same-origin',
            'content-type': 'application/x-www-form-urlencoded',
          },
          body: 'scope=openid&scope=profile',
        }),
      reason: 'interaction_unknown',
    })
    expect(cookieHeader(before)).toBe(browserCookie(started))
  })
})
