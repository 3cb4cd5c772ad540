import fc from 'fast-check'
import { expect, test } from 'vitest'
import { epochSeconds, type EpochSeconds } from '../values.ts'
import { createExpiringRows } from './expiring-rows.ts'

interface Row {
  readonly expiresAt: EpochSeconds | undefined
}

test('law: createExpiringRows lists the expired rows that a Map would have, earliest first, after any writes and deletions', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd')
  const expiresAt = fc.option(fc.nat({ max: 5 }).map(epochSeconds), { nil: undefined })
  const step = fc.oneof(
    fc.record({ key, row: fc.record({ expiresAt }) }),
    fc.record({ key, row: fc.constant(undefined) }),
  )

  fc.assert(
    fc.property(fc.array(step), fc.nat({ max: 6 }), fc.nat({ max: 5 }), (steps, now, limit) => {
      const rows = createExpiringRows<string, Row>((row) => row.expiresAt)
      const expected = new Map<string, Row>()

      for (const { key: each, row } of steps) {
        if (row === undefined) {
          rows.delete(each)
          expected.delete(each)
        } else {
          rows.set(each, row)
          expected.set(each, row)
        }
      }

      const times = [...expected.values()].flatMap((row) => row.expiresAt ?? []).filter((time) => time <= now)
      const expired = rows.expired(epochSeconds(now), limit)
      expect(expired.map((each) => expected.get(each)?.expiresAt)).toEqual(
        times.toSorted((a, b) => a - b).slice(0, limit),
      )
      expect(new Set(expired).size).toBe(expired.length)
      for (const each of ['a', 'b', 'c', 'd']) {
        expect(rows.get(each)).toBe(expected.get(each))
        expect(rows.has(each)).toBe(expected.has(each))
      }
    }),
  )
})
