import fc from 'fast-check'
import { expect, it } from 'vitest'

import { rounds } from '../../../test/support/rounds.ts'
import { aRing, publishedKeyIds, schedule, signingKeyId } from './ring-under-test.ts'

/**
 * At which turn the clock is wrong, by how many seconds, and how many rotations are called meanwhile. Tokens signed
 * meanwhile may be lost; earlier tokens must not be.
 */
const step = fc.record({
  at: fc.nat(60),
  by: fc.integer({ min: -40_000, max: 400_000_000 }),
  calls: fc.integer({ min: 1, max: 3 }),
})

it('law: no key is lost because the clock is temporarily wrong', async () => {
  await fc.assert(
    fc.asyncProperty(step, async ({ at, by, calls }) => {
      const { ring, clock, openAnother } = aRing()
      const tokens: { readonly keyId: string; readonly expiresAt: number }[] = []

      for (let turn = 0; turn < 80; turn += 1) {
        clock.now += 400
        tokens.push({ keyId: await signingKeyId(ring), expiresAt: clock.now + schedule.retire })
        if (turn === at) {
          clock.now += by
          for (let call = 0; call < calls; call += 1) await ring.rotate()
          await signingKeyId(ring)
          clock.now -= by
        }
        await ring.rotate()
        const accepted = await publishedKeyIds(openAnother())
        const living = tokens.filter(({ expiresAt }) => clock.now < expiresAt)
        expect(living.filter(({ keyId }) => !accepted.includes(keyId))).toEqual([])
      }
    }),
    { numRuns: rounds({ fast: 3, long: 30 }) },
  )
})
