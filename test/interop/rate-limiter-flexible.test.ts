import { toRateLimiter } from '@mintmark/core'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { authorize, basic, token } from '../support/flow.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer({
    rateLimits: {
      failedAuthentications: toRateLimiter(new RateLimiterMemory({ points: 3, duration: 60 })),
      startedInteractions: toRateLimiter(new RateLimiterMemory({ points: 2, duration: 60 })),
    },
  })
})
afterAll(() => site.close())

describe('a limiter of rate-limiter-flexible', () => {
  it('stops the guessing of secrets, says when to retry, and still accepts the client itself (RFC 6749 §2.3.1, RFC 6585 §4)', async () => {
    const form = { grant_type: 'client_credentials' }
    const guess = () => token(site, form, { authorization: basic('M', 'guess') })
    const guesses = [await guess(), await guess(), await guess(), await guess()]

    const own = await token(site, form, { authorization: basic('M', site.clients.M.secret) })

    expect(guesses.map(({ status }) => status)).toEqual([401, 401, 401, 429])
    expect(Number(guesses.at(-1)?.header('retry-after'))).toBeGreaterThan(0)
    expect(own.status).toBe(200)
  })

  it('stops a browser that starts one sign-in after another (RFC 6819 §4.4.1.11)', async () => {
    const first = await authorize(site)
    const cookie = first.cookies[0]?.split(';', 1)[0] ?? ''
    const start = () => authorize(site, {}, { cookie: `${cookie}; host=U1.${site.clock.now()}` })
    const allowed = [await start(), await start()]

    const refused = await start()

    expect([first, ...allowed].map(({ status }) => status)).toEqual([303, 303, 303])
    expect(refused.status).toBe(429)
    expect(site.lastReason()).toBe('interactions_throttled')
  })
})
