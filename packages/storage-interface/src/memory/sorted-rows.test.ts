import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSortedRows } from './sorted-rows.ts'

const byNumber = (one: Row, other: Row): number => one.number - other.number

interface Row {
  readonly number: number
}

test('law: createSortedRows sorts rows that are added and removed in any order like an array', () => {
  const step = fc.record({ kind: fc.constantFrom('add', 'remove'), number: fc.nat({ max: 60 }) })

  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), fc.nat({ max: 70 }), fc.nat({ max: 70 }), (steps, one, other) => {
      const rows = createSortedRows<Row>(byNumber)
      const numbers = new Set<number>()

      for (const { kind, number } of steps) {
        rows[kind === 'add' ? 'add' : 'remove']({ number })
        if (kind === 'add') numbers.add(number)
        else numbers.delete(number)
      }

      const expected = [...numbers].toSorted((a, b) => a - b)
      expect(rows.length).toBe(expected.length)
      expect(rows.slice(one, other).map(({ number }) => number)).toEqual(expected.slice(one, other))
      expect([...rows.from(one)].map(({ number }) => number)).toEqual(expected.slice(one))
      expect(rows.countUpTo({ number: one })).toBe(expected.filter((number) => number <= one).length)
    }),
  )
})

test('createSortedRows sorts rows of many blocks, whether they are added in order, in reverse or mixed', () => {
  const numbers = Array.from({ length: 20_000 }, (_, index) => index)
  const mixed = numbers.map((number) => (number * 7919) % numbers.length)

  for (const order of [numbers, numbers.toReversed(), mixed]) {
    const rows = createSortedRows<Row>(byNumber)
    for (const number of order) rows.add({ number })
    for (const number of order) if (number % 3 === 0) rows.remove({ number })

    const left = numbers.filter((number) => number % 3 !== 0)
    expect(rows.slice(0, Infinity).map(({ number }) => number)).toEqual(left)
    expect(rows.slice(4321, 9876).map(({ number }) => number)).toEqual(left.slice(4321, 9876))
    expect([...rows.from(4321)].map(({ number }) => number)).toEqual(left.slice(4321))
    expect(rows.countUpTo({ number: 9000 })).toBe(6000)
  }
})

test('createSortedRows keeps the first of two equal rows, and ignores the removal of an absent row', () => {
  const rows = createSortedRows<Row>(byNumber)
  const first = { number: 1 }
  rows.add(first)

  rows.add({ number: 1 })
  rows.remove({ number: 2 })

  expect(rows.slice(0, 10)).toHaveLength(1)
  expect(rows.slice(0, 10)[0]).toBe(first)
})
