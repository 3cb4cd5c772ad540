import { epochSeconds } from '@mintmark/storage-interface'
import fc from 'fast-check'
import { expect, test } from 'vitest'

import { formatInstant } from './meta.ts'

test('law: formats a point in time as ECMAScript does', () => {
  const aSecond = fc.oneof(
    fc.integer({ min: -100_000_000_000, max: 300_000_000_000 }),
    fc.integer({ min: 0, max: 4_000_000_000 }),
  )
  fc.assert(
    fc.property(aSecond, (second) => {
      expect(formatInstant(epochSeconds(second))).toBe(new Date(second * 1000).toISOString())
    }),
  )
})
