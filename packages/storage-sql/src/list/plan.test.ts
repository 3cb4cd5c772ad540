import type { ResolvedFilter } from '@mintmark/storage-interface'
import type { FilterAttribute, SortKey } from '@mintmark/storage-interface/stores'
import { expect, test } from 'vitest'
import { sqlite } from '../sqlite/engine.ts'
import { filterTemplate } from './filter.ts'
import { createProvisionedUserListKind } from './kinds.ts'
import { createValueIndex } from './narrow-index.ts'
import { incompleteIndexes, planList } from './plan.ts'

// The host has declared displayName as indexed.
const byDisplayName = createValueIndex('displayName', 'single')
const kind = createProvisionedUserListKind(sqlite, {
  indexOf: (label) => (label === 'displayName' ? byDisplayName : undefined),
})

test.each<readonly [string, ResolvedFilter | undefined, string | undefined, readonly (string | undefined)[]]>([
  ['an order that an index has', undefined, 'userName', ['ordered', 'everything', undefined]],
  ['an order in which every row is complete', undefined, 'meta.created', ['ordered', undefined, undefined]],
  ['an order that no index has', undefined, 'title', ['everything', undefined, undefined]],
  ['a part of an indexed value', text('displayName', 'co'), undefined, ['covered', undefined, undefined]],
  [
    'a part of an indexed value, in its own order',
    text('displayName', 'co'),
    'displayName',
    ['covered', 'everything', undefined],
  ],
  [
    'a part of an indexed value, in another order',
    text('displayName', 'co'),
    'userName',
    ['candidates', undefined, 'intersected'],
  ],
  [
    'parts of two indexed values',
    { kind: 'and', operands: [text('displayName', 'co'), text('userName', 'sw')] },
    undefined,
    ['candidates', undefined, 'intersected'],
  ],
  ['a value that few users have', text('userName', 'eq'), undefined, ['candidates', undefined, 'intersected']],
  [
    'a part of an address',
    { kind: 'element', attribute: attribute('emails', true), where: text('value', 'co') },
    undefined,
    ['candidates', undefined, 'covered'],
  ],
  ['a value that no index has', text('title', 'eq'), undefined, ['everything', undefined, undefined]],
])('plans a list with %s', (_, filter, sortBy, expected) => {
  const template = filter && filterTemplate(filter, sqlite.encodeFlag).template

  const plans = planList(kind, { filter: template, sort: sortBy === undefined ? undefined : by(sortBy) }, sqlite)

  expect([plans.first.kind, plans.ifInexact?.kind, plans.ifTooMany?.kind]).toEqual(expected)
  expect(incompleteIndexes(plans.first).length > 0).toBe(plans.ifInexact !== undefined)
})

function by(name: string): SortKey {
  return { attribute: attribute(name), elementPart: undefined, direction: 'ascending' }
}

function attribute(path: string, multiValued = false): FilterAttribute {
  const [name = '', subName] = path.split('.')
  return { extension: undefined, name, subName, multiValued }
}

function text(name: string, operator: 'eq' | 'co' | 'sw'): ResolvedFilter {
  return { kind: 'text', attribute: attribute(name), operator, value: 'x' }
}
