import { compareText } from '../filter/compare-text.ts'
import { matchesFilter } from '../filter/matches-filter.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import type { ListOutcome, ListPage, ListQuery, SortKey } from '../resource-list.ts'
import type { EpochSeconds } from '../time.ts'

/** A row as a list sees it. */
export interface ListedRow<Record> {
  readonly id: string
  readonly createdAt: EpochSeconds
  readonly record: Record
  /** The comparable form with what the store adds. */
  readonly comparable: JsonObject
}

/** The page of the rows that a query asks for. */
export function listPage<Record>(rows: readonly ListedRow<Record>[], query: ListQuery): ListOutcome<Record> {
  const { filter, sort, page } = query
  const matches = filter === undefined ? () => true : matchesFilter(filter)
  const matching = rows.filter(({ comparable }) => matches(comparable)).toSorted(byAge)
  const ordered = sort === undefined ? matching : matching.toSorted((one, other) => compareBy(sort, one, other))

  const start = startOf(ordered, page)
  const end = start + page.limit
  const shown = ordered.slice(start, end)
  const last = shown.at(-1)
  return {
    outcome: 'listed',
    total: ordered.length,
    records: shown.map(({ record }) => record),
    next: last === undefined || end >= ordered.length ? undefined : sort === undefined ? positionOf(last) : String(end),
  }
}

/** Without an order of its own a list goes on behind a row, wherever that row is by then; otherwise at a number. */
function startOf(rows: readonly ListedRow<unknown>[], page: ListPage): number {
  if (page.kind === 'index') return page.offset
  const { after } = page
  if (after === undefined) return 0
  if (!after.includes('.')) return Number(after)
  const index = rows.findIndex((row) => isBehind(row, after))
  return index === -1 ? rows.length : index
}

const positionOf = ({ createdAt, id }: ListedRow<unknown>): string => `${createdAt}.${id}`

function isBehind(row: ListedRow<unknown>, position: string): boolean {
  const dot = position.indexOf('.')
  const created = Number(position.slice(0, dot))
  return row.createdAt > created || (row.createdAt === created && compareText(row.id, position.slice(dot + 1)) > 0)
}

const byAge = (one: ListedRow<unknown>, other: ListedRow<unknown>): number =>
  one.createdAt - other.createdAt || compareText(one.id, other.id)

/** RFC 7644 §3.4.2.3: what has no value comes last when ascending, first when descending. */
function compareBy(sort: SortKey, one: ListedRow<unknown>, other: ListedRow<unknown>): number {
  const difference = compareValues(sortValue(one.comparable, sort), sortValue(other.comparable, sort))
  return sort.direction === 'ascending' ? difference : -difference
}

function compareValues(one: JsonValue | undefined, other: JsonValue | undefined): number {
  if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined)
  return typeof one === 'string' && typeof other === 'string' ? compareText(one, other) : Number(one) - Number(other)
}

function sortValue(comparable: JsonObject, { attribute, elementPart }: SortKey): JsonValue | undefined {
  const owner = attribute.extension === undefined ? comparable : memberOf(comparable, attribute.extension)
  const value = memberOf(owner, attribute.name)
  const part = attribute.subName === undefined ? value : memberOf(value, attribute.subName)
  if (!Array.isArray(part)) return part
  const elements = part as readonly JsonValue[]
  const element = elements.find((candidate) => memberOf(candidate, 'primary') === true) ?? elements[0]
  return elementPart === undefined ? element : memberOf(element, elementPart)
}

function memberOf(owner: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof owner !== 'object' || owner === null || Array.isArray(owner)) return undefined
  const members = owner as JsonObject
  return Object.hasOwn(members, name) ? (members[name] ?? undefined) : undefined
}
