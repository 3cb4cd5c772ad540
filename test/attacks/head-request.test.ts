import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { adapters } from '../support/adapters.ts'
import { authorize, baseRequest, browserCookie, encode, obtainCode, signedInAs } from '../support/flow.ts'
import { expectServing, expectErrorPage } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

describe.each(adapters)('on $name', (adapter) => {
  let site: ServerUnderTest
  beforeAll(async () => {
    site = await startServer({}, adapter)
    await expectServing(site)
  })
  afterAll(() => site.close())

  describe('HEAD has no side effects (RFC 9110 §9.2.1)', () => {
    it.each([
      ['a code', {}],
      ['a sign-in', { prompt: 'login' }],
      ['a consent', { prompt: 'consent' }],
    ])('HEAD /auth has no effect when GET would lead to %s', async (_, change) => {
      await obtainCode(site)
      const before = site.dump()

      const cookie = signedInAs(site, 'U1')
      const reply = await site.send({
        method: 'HEAD',
        path: `/auth?${encode({ ...baseRequest, ...change })}`,
        headers: { cookie },
      })

      expect([reply.status, reply.header('location'), reply.cookies]).toEqual([200, undefined, []])
      expect(reply.header('cache-control')).toBe('no-store')
      expect(site.dump()).toBe(before)
    })

    it.each([
      ['no header says where it comes from', {}],
      ['another site sends it', { 'sec-fetch-site': 'cross-site' }],
      ['a sibling host sends it', { 'sec-fetch-site': 'same-site' }],
    ])(
      'HEAD to a page that treats every method but GET as a form is refused when %s (RFC 9700 §4.7)',
      async (_, headers) => {
        const started = await authorize(site, { prompt: 'consent' })
        const { pathname, search } = started.location

        await expectErrorPage(
          site,
          {
            send: () =>
              site.send({
                method: 'HEAD',
                path: pathname + search,
                headers: { cookie: browserCookie(started), ...headers },
              }),
            reason: 'cross_site_post',
          },
          403,
        )
      },
    )
  })
})
