import { type TextLookup, findCandidates } from '../filter/find-candidates.ts'
import { compareText, matchesFilter } from '../filter/matches-filter.ts'
import type { ResolvedFilter } from '../filter/resolved-filter.ts'
import { type JsonObject, isArray, memberOf, epochSeconds, utf8Length } from '../values.ts'
import type { ListOutcome, ListPage, ListPosition, ListQuery, SortKey } from '../resource-list.ts'
import { type Aged, type RowsByAge, compareAge, createRowsByAge, idsByAge } from './sorted-rows.ts'

/** The rows of a list, and how to read them. */
export interface Listing<Id extends string, Record> {
  readonly byAge: RowsByAge<Id>
  readonly lookups: RowLookups<Id>
  /** Returns the row of an identifier, if it is in the list. */
  readonly row: (id: Id) => ListedRow<Id, Record> | undefined
  /** Returns the number of bytes of a record, for `ListQuery.maxBytes`. */
  readonly sizeOf?: (record: Record) => number
}

/** A row of a list. Expensive parts are computed on demand. */
export interface ListedRow<Id extends string, Record> extends Aged<Id> {
  record(): Record
  /** Returns the attributes that filters and sorting compare, including the ones that the store adds. */
  comparable(): JsonObject
}

/** Returns the requested page of rows. Without a filter and a sort, it reads only the rows of the page. */
export function listPage<Id extends string, Record>(
  listing: Listing<Id, Record>,
  { filter, sort, page, maxBytes = Infinity }: Omit<ListQuery, 'providerId'>,
): ListOutcome<Record> {
  const ordered =
    filter === undefined && sort === undefined ? inOrderOfAge(listing.byAge) : findMatching(listing, { filter, sort })
  const start = startOf(ordered, page)
  const shown: Aged<Id>[] = []
  const records: Record[] = []
  let bytes = 0
  for (const row of ordered.slice(start, start + page.limit)) {
    const record = listing.row(row.id)?.record()
    if (bytes >= maxBytes) {
      if (page.kind === 'index')
        return { outcome: 'listed', total: ordered.length, records: [], next: undefined, isTooLarge: true }
      break
    }
    shown.push(row)
    if (record === undefined) continue
    records.push(record)
    bytes += listing.sizeOf?.(record) ?? 0
  }
  const last = shown.at(-1)
  const end = start + shown.length
  return {
    outcome: 'listed',
    total: ordered.length,
    records,
    next: last === undefined || end >= ordered.length ? undefined : ordered.positionAfter(last),
  }
}

/** Returns the requested page of rows that are already in memory. Records are strings; rows are ordered by identifier. */
export function listRows<Text extends string>(
  rows: readonly Omit<ListedRow<string, Text>, 'createdAt'>[],
  query: Omit<ListQuery, 'providerId'>,
): ListOutcome<Text> {
  const createdAt = epochSeconds(0)
  const byAge = createRowsByAge()
  for (const { id } of rows) byAge.add({ id, createdAt })
  const byId = new Map(rows.map((row) => [row.id, { ...row, createdAt }]))
  return listPage(
    {
      byAge,
      lookups: new Map([['id', { rows: 1, find: (id) => [id] }]]),
      row: (id) => byId.get(id),
      sizeOf: utf8Length,
    },
    query,
  )
}

/** The rows of a list in its order. */
interface Ordered<Id extends string> extends Pick<RowsByAge<Id>, 'length' | 'slice'> {
  readonly positionAfter: (row: Aged) => ListPosition
  /** The number of rows up to a position, whose row may have been removed since. */
  readonly countUpTo: (position: ListPosition) => number
}

function findMatching<Id extends string, Record>(
  { byAge, lookups, row }: Listing<Id, Record>,
  { filter, sort }: { readonly filter: ResolvedFilter | undefined; readonly sort: SortKey | undefined },
): Ordered<Id> {
  const candidateIds = filter && findCandidateIds(filter, lookups)
  const ids = candidateIds ?? idsByAge(byAge)
  const rows = [...ids].flatMap((id) => row(id) ?? [])
  const matches = filter && matchesFilter(filter)
  const found = matches === undefined ? rows : rows.filter((each) => matches(each.comparable()))
  const aged = candidateIds === undefined ? found : found.toSorted(compareAge)
  if (sort !== undefined) return sortRows(sort, aged)
  return inOrderOfAge({
    length: aged.length,
    slice: (start, end) => aged.slice(start, end),
    countUpTo: (place) => aged.filter((each) => compareAge(each, place) <= 0).length,
  })
}

/** Rows in the order of age. */
interface RowsOfAge<Id extends string> extends Pick<RowsByAge<Id>, 'length' | 'slice'> {
  readonly countUpTo: (place: Aged) => number
}

const inOrderOfAge = <Id extends string>(rows: RowsOfAge<Id>): Ordered<Id> => ({
  length: rows.length,
  slice: (start, end) => rows.slice(start, end),
  positionAfter: ({ createdAt, id }) => `${createdAt}.${id}`,
  countUpTo: (position) => rows.countUpTo(parsePosition(position)),
})

/** Sorts rows. Rows with equal values are sorted by age. A descending list is the reverse of the ascending one. */
function sortRows<Id extends string>(sort: SortKey, rows: readonly ListedRow<Id, unknown>[]): Ordered<Id> {
  const factor = sort.direction === 'ascending' ? 1 : -1
  const compare = (one: Valued, other: Valued): number =>
    factor * (compareValues(one.value, other.value) || compareAge(one.row, other.row))
  const valued = rows.map((row) => ({ row, value: sortValue(row.comparable(), sort) })).toSorted(compare)
  const values = new Map<string, SortValue>(valued.map(({ row, value }) => [row.id, value]))
  return {
    length: valued.length,
    slice: (start, end) => valued.slice(start, end).map(({ row }) => row),
    positionAfter: (row) => formatSortedPosition({ row, value: values.get(row.id) }),
    countUpTo: (position) => {
      const last = parseSortedPosition(position)
      return last === undefined ? 0 : valued.filter((each) => compare(each, last) <= 0).length
    },
  }
}

/** A row, and the value by which it is sorted. */
interface Valued {
  readonly row: Aged
  readonly value: SortValue
}

type SortValue = string | number | boolean | undefined

function formatSortedPosition({ row: { createdAt, id }, value }: Valued): ListPosition {
  const text = String(value)
  return `${createdAt}.${typeof value}.${text.length}.${text}${id}`
}

function parseSortedPosition(position: ListPosition): Valued | undefined {
  const [, createdAt, type, length, rest = ''] = /^(\d+)\.([a-z]+)\.(\d+)\.(.*)$/s.exec(position) ?? []
  const text = rest.slice(0, Number(length))
  const row = { createdAt: epochSeconds(Number(createdAt)), id: rest.slice(Number(length)) }
  switch (type) {
    case 'string':
      return { row, value: text }
    case 'number':
      return { row, value: Number(text) }
    case 'boolean':
      return { row, value: text === 'true' }
    case 'undefined':
      return { row, value: undefined }
    default:
      return undefined
  }
}

/** Returns the index at which a page starts. */
function startOf(ordered: Ordered<string>, page: ListPage): number {
  if (page.kind === 'index') return page.offset
  return page.after === undefined ? 0 : ordered.countUpTo(page.after)
}

function parsePosition(position: string): Aged {
  const dot = position.indexOf('.')
  return { createdAt: epochSeconds(Number(position.slice(0, dot))), id: position.slice(dot + 1) }
}

/** Finds rows by a string. The result may include rows that are not in the list. */
interface RowLookup<Id extends string> extends TextLookup {
  readonly find: (text: string) => Iterable<Id>
}

/** Lookups by the attribute whose strings they index, such as `userName` and `emails.value`. */
type RowLookups<Id extends string> = ReadonlyMap<string, RowLookup<Id>>

/** Returns the identifiers of the rows that may match a filter; `undefined` if every row must be read. */
function findCandidateIds<Id extends string>(
  filter: ResolvedFilter,
  lookups: RowLookups<Id>,
): ReadonlySet<Id> | undefined {
  const found = findCandidates(filter, lookups)
  if (found === undefined) return undefined

  const ids = new Set<Id>()
  for (const [{ find }, texts] of found) {
    for (const text of texts) for (const id of find(text)) ids.add(id)
  }
  return ids
}

/** Returns the value by which a row is sorted: of several values, the primary one, or else the first (RFC 7644 §3.4.2.3). */
function sortValue(comparable: JsonObject, { attribute, elementPart }: SortKey): SortValue {
  const owner = attribute.extension === undefined ? comparable : memberOf(comparable, attribute.extension)
  const value = memberOf(owner, attribute.name)
  const part = attribute.subName === undefined ? value : memberOf(value, attribute.subName)
  const element = isArray(part) ? (part.find((candidate) => memberOf(candidate, 'primary') === true) ?? part[0]) : part
  const compared = isArray(part) && elementPart !== undefined ? memberOf(element, elementPart) : element
  // RFC 7643 §2.5: null is no value.
  return compared === null || typeof compared === 'object' ? undefined : compared
}

/** Compares in ascending order. RFC 7644 §3.4.2.3: resources without a value come last. */
function compareValues(one: SortValue, other: SortValue): number {
  if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined)
  return typeof one === 'string' && typeof other === 'string' ? compareText(one, other) : Number(one) - Number(other)
}
