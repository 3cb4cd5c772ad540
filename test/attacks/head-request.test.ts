import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { adapters } from '../support/adapters.ts'
import { authorize, baseRequest, browserCookie, encode, obtainCode, signedInAs } from '../support/flow.ts'
import { expectServing, refusedOnPage } from '../support/refused.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

describe.each(adapters)('on $name', (adapter) => {
  let under: ServerUnderTest
  beforeAll(async () => {
    under = await startServer({}, adapter)
    await expectServing(under)
  })
  afterAll(() => under.close())

  describe('HEAD has no side effects (RFC 9110 §9.2.1)', () => {
    it.each([
      ['a code', {}],
      ['a sign-in', { prompt: 'login' }],
      ['a consent', { prompt: 'consent' }],
    ])('HEAD /auth has no effect when GET would lead to %s', async (_, change) => {
      await obtainCode(under)
      const before = under.dump()

      const cookie = signedInAs(under, 'U1')
      const reply = await under.send({
        method: 'HEAD',
        path: `/auth?${encode({ ...baseRequest, ...change })}`,
        headers: { cookie },
      })

      expect([reply.status, reply.header('location'), reply.cookies]).toEqual([200, undefined, []])
      expect(reply.header('cache-control')).toBe('no-store')
      expect(under.dump()).toBe(before)
    })

    it.each([
      ['no header says where it comes from', {}],
      ['another site sends it', { 'sec-fetch-site': 'cross-site' }],
      ['a sibling host sends it', { 'sec-fetch-site': 'same-site' }],
    ])(
      'HEAD to a page that treats every method but GET as a form is refused when %s (RFC 9700 §4.7)',
      async (_, headers) => {
        const started = await authorize(under, { prompt: 'consent' })
        const { pathname, search } = started.location

        await refusedOnPage(
          under,
          {
            send: () =>
              under.send({
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
