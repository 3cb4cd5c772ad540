import { expect, test } from 'vitest'
import { compareText } from '../filter/matches-filter.ts'
import { createOrderedRows, pageAfter } from './rows.ts'
import fc from 'fast-check'

test('law: pageAfter returns the rows that a Map would have after a key, in key order', () => {
  const key = fc.constantFrom('a', 'b', 'ba', 'B', 'c', '\u{1f600}', '\ufffd')
  const step = fc.record({ key, row: fc.option(fc.nat(), { nil: undefined }) })

  fc.assert(
    fc.property(fc.array(step), fc.option(key, { nil: undefined }), fc.nat({ max: 8 }), (steps, after, limit) => {
      const rows = createOrderedRows<string, number>()
      const expected = new Map<string, number>()

      for (const { key: each, row } of steps) {
        if (row === undefined) expect(rows.delete(each)).toBe(expected.delete(each))
        else {
          rows.set(each, row)
          expected.set(each, row)
        }
      }

      const later = [...expected.keys()].filter((each) => after === undefined || compareText(each, after) > 0)
      const page = pageAfter(rows, { after, limit })
      expect(page).toEqual(
        later
          .toSorted(compareText)
          .slice(0, limit)
          .map((each) => expected.get(each)),
      )
    }),
  )
})
