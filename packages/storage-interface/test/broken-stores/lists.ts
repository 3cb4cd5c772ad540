import type { JsonValue, ResolvedFilter } from '@mintmark/storage-interface'
import type { ListOutcome, ListQuery } from '@mintmark/storage-interface/stores'
import { and, element, not, or, present, text } from '../../src/contract/filters.ts'
import { breakStore, breakEveryMethod, type BrokenStore } from './break-store.ts'

const cursorsAreOffsets = alterList(async (query, list) => {
  if (query.page.kind === 'index') return list(query)
  const { after, limit } = query.page
  const offset = Number(after ?? 0)
  const outcome = await list({ ...query, page: { kind: 'index', offset, limit } })
  return outcome.outcome === 'listed' && outcome.next !== undefined
    ? { ...outcome, next: String(offset + limit) }
    : outcome
})

/** One broken store for each law of lists, sorting and filters. */
export const brokenLists: Readonly<Record<string, BrokenStore>> = {
  'lists: users, including deactivated ones, are listed by age and then by identifier': alterList((query, list) =>
    list({ ...query, filter: { kind: 'boolean', attribute: active, operator: 'eq', value: true } }),
  ),
  'lists: groups are listed by age and then by identifier': alterList(async (query, list) => {
    const outcome = await list(query)
    return outcome.outcome === 'listed' ? { ...outcome, records: outcome.records.toReversed() } : outcome
  }),
  'lists: index pages are parts of the list, each with the total': alterList(async (query, list) => {
    const outcome = await list(query)
    return outcome.outcome === 'listed' ? { ...outcome, total: outcome.records.length } : outcome
  }),
  'lists: cursor pages show exactly once each row that is never removed, while others are inserted and removed':
    cursorsAreOffsets,
  'lists: the cursor pages of an unchanged list add up to the list': alterList(async (query, list) => {
    const outcome = await list(query)
    return outcome.outcome === 'listed' ? { ...outcome, next: undefined } : outcome
  }),
  'lists: a cursor page has the total, and its limit may be 0': alterList((query, list) =>
    list({ ...query, page: { ...query.page, limit: Math.max(query.page.limit, 1) } }),
  ),
  'lists: a page with a byte limit has at least one row, and the next page continues after it': alterList(
    ({ maxBytes, ...query }, list) =>
      list(query.filter === undefined && maxBytes !== undefined ? { ...query, maxBytes } : query),
  ),

  'sorting: strings are sorted by code point, and equal ones by age': alterList(async (query, list) => {
    // A stable sort by the descending value leaves equal ones in the order of age.
    if (query.sort?.direction !== 'descending') return list(query)
    return list({ ...query, sort: { ...query.sort, direction: 'ascending' } })
  }),
  'sorting: a row without a value is last in ascending order, and the descending order is the reverse': alterList(
    (query, list) => list(query.sort === undefined ? query : { ...query, filter: present(query.sort.attribute) }),
  ),
  'sorting: numbers are sorted by value, and false comes before true': alterStoredValues((value) =>
    typeof value === 'number' ? String(value) : value,
  ),
  'sorting: the primary value of several is compared, or the first if none is primary': alterStoredValues(
    (value, key) => (key === 'primary' ? null : value),
  ),
  'sorting: the first of several simple values is compared': alterStoredValues((value) =>
    Array.isArray(value) ? value.toSorted(byText) : value,
  ),
  'sorting: attributes with the same name at different levels are distinguished': alterSort((sort) => ({
    ...sort,
    attribute: { ...sort.attribute, extension: undefined },
  })),
  'sorting: lists can be sorted by id, externalId, active, meta.created and meta.lastModified': alterSort((sort) =>
    sort.attribute.name === 'meta' ? undefined : sort,
  ),
  'sorting: pages are parts of the sorted list of matches': alterList((query, list) =>
    list(query.page.kind === 'index' && query.page.offset > 0 ? { ...query, sort: undefined } : query),
  ),
  'sorting: cursor pages miss nobody while listed users change and are removed': cursorsAreOffsets,
  'sorting: groups are sorted like users': alterSort(() => undefined),

  'filters: strings are compared exactly, in the order of code points': alterFilter((filter) =>
    filter.kind === 'text' ? { ...filter, value: filter.value.toLowerCase() } : filter,
  ),
  'filters: parts of strings are matched exactly': alterFilter((filter) =>
    filter.kind === 'text' ? { ...filter, value: filter.value.replaceAll(/[%_]/g, '') } : filter,
  ),
  'filters: numbers are compared as numbers': alterFilter((filter) =>
    filter.kind === 'number' ? { ...filter, value: Math.trunc(filter.value) } : filter,
  ),
  'filters: booleans are compared for equality': alterFilter((filter) =>
    filter.kind === 'boolean' && filter.operator === 'ne'
      ? { ...filter, operator: 'eq', value: !filter.value }
      : filter,
  ),
  'filters: an attribute is present if one of its values or sub-attributes is not empty': alterFilter((filter) =>
    filter.kind === 'present' ? or(filter, text(filter.attribute, 'eq', '')) : filter,
  ),
  'filters: attributes with the same name at different levels are distinguished': alterFilter((filter) =>
    filter.kind === 'text' ? { ...filter, attribute: { ...filter.attribute, extension: undefined } } : filter,
  ),
  'filters: an attribute with several values matches if one of them does': alterFilter((filter) =>
    filter.kind === 'text' && filter.operator === 'ne' ? not({ ...filter, operator: 'eq' }) : filter,
  ),
  'filters: one value must satisfy the whole condition of a value path': alterFilter(splitPath),
  'filters: and, or and not combine filters of any number and depth': alterFilter((filter) =>
    filter.kind === 'not' && filter.operand.kind === 'and' ? and(...filter.operand.operands.map(not)) : filter,
  ),
  'filters: if value and filter differ in type, a list matches as matchesFilter does': alterStoredValues((value) =>
    typeof value === 'number' ? String(value) : value,
  ),

  // Does not sort cursor pages.
  'sorting: a user whose primary value changes has a new position, on cursor pages as well': alterList((query, list) =>
    list(query.page.kind === 'cursor' ? { ...query, sort: undefined } : query),
  ),
  'filters: users are found by id, externalId, userName and creation time': alterFilter((filter) =>
    filter.kind === 'text' && filter.attribute.name === 'externalId'
      ? { ...filter, value: filter.value.toLowerCase() }
      : filter,
  ),
  'filters: active and meta.lastModified have their current values': alterFilter((filter) =>
    filter.kind === 'boolean' ? { ...filter, operator: 'eq' } : filter,
  ),
  'filters: users are found by their groups': alterFilter((filter) =>
    filter.kind === 'element' ? present(filter.attribute) : filter,
  ),
  'filters: groups are found by their members and their own attributes': alterFilter(splitPath),

  'round trip: keys of 1024 characters': breakEveryMethod((method, { args }) =>
    method(...args.map((value) => mapValues(value, cut))),
  ),
}

const byText = (one: unknown, other: unknown): number => (String(one) < String(other) ? -1 : 1)

const active = { extension: undefined, name: 'active', subName: undefined, multiValued: false }

type List = (query: ListQuery) => Promise<ListOutcome<unknown>>

/** A store that answers list queries in another way. */
function alterList(change: (query: ListQuery, list: List) => Promise<ListOutcome<unknown>>): BrokenStore {
  return breakEveryMethod((method, call) => {
    if (!['provisionedUsers.list', 'groups.list'].includes(call.name)) return method(...call.args)
    return change(call.args[0] as ListQuery, (query) => method(query) as Promise<ListOutcome<unknown>>)
  })
}

function alterSort(change: (sort: NonNullable<ListQuery['sort']>) => ListQuery['sort']): BrokenStore {
  return alterList((query, list) => list({ ...query, sort: query.sort && change(query.sort) }))
}

/** A store that replaces every part of a filter. */
function alterFilter(change: (filter: ResolvedFilter) => ResolvedFilter): BrokenStore {
  return alterList((query, list) => list({ ...query, filter: query.filter && mapFilter(query.filter, change) }))
}

function mapFilter(filter: ResolvedFilter, change: (filter: ResolvedFilter) => ResolvedFilter): ResolvedFilter {
  const inner = (operand: ResolvedFilter): ResolvedFilter => mapFilter(operand, change)
  if (filter.kind === 'and' || filter.kind === 'or') return change({ ...filter, operands: filter.operands.map(inner) })
  if (filter.kind === 'not') return change({ ...filter, operand: inner(filter.operand) })
  return change(filter.kind === 'element' ? { ...filter, where: inner(filter.where) } : filter)
}

/** Splits a value path, so that different values may satisfy its parts. */
function splitPath(filter: ResolvedFilter): ResolvedFilter {
  if (filter.kind !== 'element' || filter.where.kind !== 'and') return filter
  return and(...filter.where.operands.map((operand) => element(filter.attribute.name, operand)))
}

/** A store that changes the values in comparable forms. */
function alterStoredValues(change: (value: JsonValue, key: string) => JsonValue): BrokenStore {
  return breakStore('provisionedUsers', (honest) => ({
    insert: (user) => {
      const comparable = mapValues(user.state.comparable, change) as typeof user.state.comparable
      return honest.insert({ ...user, state: { ...user.state, comparable } })
    },
  }))
}

/** Returns a copy of plain data with every value in it changed, from the inside out. */
function mapValues(value: unknown, change: (value: JsonValue, key: string) => JsonValue, key = ''): unknown {
  if (Array.isArray(value)) return change(value.map((member: unknown) => mapValues(member, change)) as JsonValue, key)
  if (typeof value !== 'object' || value === null) return change(value as JsonValue, key)
  const members = Object.entries(value).map(([name, member]) => [name, mapValues(member, change, name)] as const)
  return change(Object.fromEntries(members) as JsonValue, key)
}

const cut = (value: JsonValue): JsonValue => (typeof value === 'string' ? value.slice(0, 255) : value)
