import { matchesFilter, type ResolvedFilter } from '@mintmark/storage-interface'
import fc from 'fast-check'
import { expect, test } from 'vitest'

import { ScimError } from '../error/scim-error.ts'
import { locationFilter } from './location-filter.ts'

const prefix = 'https://as.test/scim/T1/Users/'
const operators = ['eq', 'ne', 'sw', 'ew', 'co'] as const
type Operator = (typeof operators)[number]

const expected = (operator: Operator, location: string, value: string): boolean =>
  ({
    eq: location === value,
    ne: location !== value,
    sw: location.startsWith(value),
    ew: location.endsWith(value),
    co: location.includes(value),
  })[operator]

const matches = (filter: ResolvedFilter | boolean, id: string): boolean =>
  typeof filter === 'boolean' ? filter : matchesFilter(filter)({ id })

const locationOf = (id: string): string => prefix + encodeURIComponent(id)

/** Letters that need an escape, letters that occur in escapes, and others. */
const anId = fc.string({
  unit: fc.constantFrom('A', '1', '2', '3', 'F', '%', '/', ':', '@', '!', 'z', '-', 's'),
  minLength: 1,
  maxLength: 4,
})

/** An id and a part of its location, sometimes altered. */
const anIdAndPart = fc
  .record({ id: anId, from: fc.nat(), to: fc.nat(), more: fc.constantFrom('', '', '', 'x', '%', '2F') })
  .map(({ id, from, to, more }) => {
    const location = locationOf(id)
    const [start = 0, end = 0] = [from % (location.length + 1), to % (location.length + 1)].toSorted(
      (one, other) => one - other,
    )
    return { id, part: location.slice(start, from % 3 === 0 ? location.length : end) + more }
  })

test('law: a test of meta.location matches the same resources as a test of the locations themselves, or is refused', () => {
  let refused = 0
  fc.assert(
    fc.property(fc.constantFrom(...operators), anIdAndPart, anId, (operator, { id, part }, otherId) => {
      try {
        const filter = locationFilter({ operator, value: part }, prefix)
        for (const one of [id, otherId]) expect(matches(filter, one)).toBe(expected(operator, locationOf(one), part))
      } catch (error) {
        if (!(error instanceof ScimError)) throw error
        // Only a part that ends inside an escape can stand for too many characters.
        expect(part).toMatch(/%[0-9A-F]?$/)
        refused += 1
      }
    }),
    { numRuns: 5000 },
  )
  expect(refused).toBeLessThan(500)
})

test('refuses a part that ends inside an escape and could stand for too many characters (RFC 7644 §3.4.2.2)', () => {
  expect(() => locationFilter({ operator: 'sw', value: `${prefix}%` }, prefix)).toThrow(ScimError)
})

test.each<[Operator, string, string]>([
  ['eq', `${prefix}a`, 'id eq a'],
  ['eq', `${prefix}a%40b`, 'id eq a@b'],
  ['eq', `${prefix}a@b`, 'false'],
  ['eq', 'a', 'false'],
  ['ne', `${prefix}a`, 'not id eq a'],
  ['sw', 'https://as.test/', 'true'],
  ['sw', `${prefix}a`, 'id sw a'],
  ['sw', 'http:', 'false'],
  ['ew', 'zz', 'id ew zz'],
  ['ew', 'Users/zz', 'id eq zz'],
  ['co', 'T1', 'true'],
  ['co', 'T2', 'id co T2'],
  ['co', '/T2/', 'false'],
  ['co', 'Users/zz', 'id sw zz'],
  ['ew', 'Fzz', 'id ew Fzz or id ew \u000fzz or id ew \u001fzz or id ew /zz or id ew ?zz or id ew \u007fzz'],
  ['sw', `${prefix}a%4`, 'id sw a@'],
])('rewrites meta.location %s %j to %s', (operator, value, text) => {
  expect(print(locationFilter({ operator, value }, prefix))).toBe(text)
})

test.each(['gt', 'ge', 'lt', 'le'] as const)('refuses to compare locations by %s (RFC 7644 §3.4.2.2)', (operator) => {
  expect(() => locationFilter({ operator, value: 'a' }, prefix)).toThrow(
    expect.objectContaining({ status: 400, scimType: 'invalidFilter', reason: 'filter_attribute_unsearchable' }),
  )
})

function print(filter: ResolvedFilter | boolean): string {
  if (typeof filter === 'boolean') return String(filter)
  if (filter.kind === 'not') return `not ${print(filter.operand)}`
  if (filter.kind === 'or') return filter.operands.map(print).join(' or ')
  return filter.kind === 'text' ? `${filter.attribute.name} ${filter.operator} ${filter.value}` : filter.kind
}
