import fc from 'fast-check'
import { expect, test } from 'vitest'

import { runAtOnce } from '@mintmark/internal'
import { executionOrder, referencesIn, withIdentifiers } from './bulk-references.ts'

/** For each of several operations, the positions of the operations that it refers to. */
const references = fc
  .integer({ min: 1, max: 12 })
  .chain((size) =>
    fc.array(fc.array(fc.nat({ max: size - 1 }), { maxLength: 4 }), { minLength: size, maxLength: size }),
  )

test('law: the order contains every operation once', () => {
  fc.assert(
    fc.property(references, (lists) => {
      expect(executionOrder(lists).toSorted((one, other) => one - other)).toEqual([...lists.keys()])
    }),
  )
})

test('law: without cycles, each operation comes after the operations that it refers to', () => {
  const acyclic = references.map((lists) => lists.map((list, position) => list.filter((other) => other > position)))
  fc.assert(
    fc.property(acyclic, (lists) => {
      const order = executionOrder(lists)

      for (const [position, list] of lists.entries()) {
        for (const other of list) expect(order.indexOf(other)).toBeLessThan(order.indexOf(position))
      }
    }),
  )
})

test('law: in a cycle, at least one operation comes before one that it refers to', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), (size) => {
      const circle = Array.from({ length: size }, (_, position) => [(position + 1) % size])
      const order = executionOrder(circle)

      expect(circle.some(([other = -1], position) => order.indexOf(other) >= order.indexOf(position))).toBe(true)
    }),
  )
})

test('keeps the order of the request when no reference points forward (RFC 7644 §3.7)', () => {
  expect(executionOrder([[], [0], [], [1, 0]])).toEqual([0, 1, 2, 3])
  expect(executionOrder([[], [3], [], []])).toEqual([0, 3, 1, 2])
})

test('orders a hundred thousand references, and a chain of a hundred thousand, in linear work', () => {
  let reads = 0
  /** Counts how many times the references of an operation are read. */
  const counted = (references: readonly (readonly number[])[]) =>
    new Proxy(references, {
      get(list, key) {
        if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1
        return Reflect.get(list, key) as unknown
      },
    })
  const dense = Array.from({ length: 1000 }, () => Array.from({ length: 100 }, (_, index) => index * 10))
  const chain = Array.from({ length: 100_000 }, (_, position) => (position === 99_999 ? [] : [position + 1]))

  expect(executionOrder(counted(dense))).toHaveLength(1000)
  expect(executionOrder(counted(chain))[0]).toBe(99_999)
  expect(reads).toBeLessThanOrEqual(1000 + 100_000)
})

test('finds the references of an operation in order, each once, and replaces them (RFC 7644 §3.7.2)', () => {
  const data = {
    members: [{ value: 'bulkId:b' }, { value: 'bulkId:a' }, 'bulkId:b'],
    manager: { value: 'bulkId:c' },
    x: 'a',
  }

  expect([...runAtOnce(referencesIn(data))]).toEqual(['b', 'a', 'c'])
  expect(runAtOnce(withIdentifiers(data, (bulkId) => `id-${bulkId}`))).toEqual({
    members: [{ value: 'id-b' }, { value: 'id-a' }, 'id-b'],
    manager: { value: 'id-c' },
    x: 'a',
  })
})

test('finds and replaces the references in the filter of a path (RFC 7644 §3.7.2)', () => {
  const data = {
    Operations: [
      { op: 'remove', path: 'members[value eq "bulkId:a" or value eq "bulkId:b"]' },
      { op: 'replace', path: 'displayName', value: 'x "bulkId:c"' },
    ],
  }

  expect([...runAtOnce(referencesIn(data))]).toEqual(['a', 'b'])
  expect(runAtOnce(withIdentifiers(data, (bulkId) => `id-${bulkId}`))).toEqual({
    Operations: [
      { op: 'remove', path: 'members[value eq "id-a" or value eq "id-b"]' },
      { op: 'replace', path: 'displayName', value: 'x "bulkId:c"' },
    ],
  })
})

test.each([
  ['in one list', Array<string>(10_000).fill('bulkId:b')],
  ['in many objects', Array.from({ length: 10_000 }, () => ({ value: 'bulkId:b' }))],
])('yields after every thousand references %s', (_, data) => {
  expect([...referencesIn(data)].length).toBeGreaterThanOrEqual(10)
  expect([...withIdentifiers(data, () => 'id')].length).toBeGreaterThanOrEqual(10)
})
