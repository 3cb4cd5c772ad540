import type { ResolvedFilter } from '@mintmark/storage-interface'
import { expect, test } from 'vitest'

import { locationFilter } from './location-filter.ts'

const prefix = 'https://as.test/scim/T1/Users/'

test.each<['eq' | 'ne', string, string]>([
  ['eq', `${prefix}a`, 'id eq a'],
  ['eq', `${prefix}a%40b`, 'id eq a@b'],
  ['eq', `${prefix}a@b`, 'false'],
  ['eq', `${prefix}%`, 'false'],
  ['eq', 'a', 'false'],
  ['ne', `${prefix}a`, 'not id eq a'],
  ['ne', 'a', 'true'],
])('rewrites meta.location %s %j to %s', (operator, value, text) => {
  expect(print(locationFilter({ operator, value }, prefix))).toBe(text)
})

test.each(['gt', 'ge', 'lt', 'le', 'co', 'sw', 'ew'] as const)(
  'refuses to compare locations by %s (RFC 7644 §3.4.2.2)',
  (operator) => {
    expect(() => locationFilter({ operator, value: 'a' }, prefix)).toThrow(
      expect.objectContaining({ status: 400, scimType: 'invalidFilter', reason: 'filter_attribute_unsearchable' }),
    )
  },
)

function print(filter: ResolvedFilter | boolean): string {
  if (typeof filter === 'boolean') return String(filter)
  if (filter.kind === 'not') return `not ${print(filter.operand)}`
  return filter.kind === 'text' ? `${filter.attribute.name} ${filter.operator} ${filter.value}` : filter.kind
}
