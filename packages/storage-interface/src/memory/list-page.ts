import { compareText } from '../filter/compare-text.ts'
import { matchesFilter } from '../filter/matches-filter.ts'
import type { JsonObject } from '../json.ts'
import type { ListOutcome, ListPage, ListQuery, SortKey } from '../resource-list.ts'
import type { EpochSeconds } from '../time.ts'
import { compareValues, sortValue } from './sort-value.ts'

/** A row as a list sees it; what costs is made when it is asked for. */
export interface ListedRow<Record> {
  readonly id: string
  readonly createdAt: EpochSeconds
  record(): Record
  /** The comparable form with what the store adds. */
  comparable(): JsonObject
}

/** The page of the rows that a query asks for. */
export function listPage<Record>(
  rows: readonly ListedRow<Record>[],
  { filter, sort, page }: Omit<ListQuery, 'providerId'>,
): ListOutcome<Record> {
  const matches = filter === undefined ? undefined : matchesFilter(filter)
  const matching = matches === undefined ? rows : rows.filter((row) => matches(row.comparable()))
  const byAge = matching.toSorted(compareAge)
  const ordered = sort === undefined ? byAge : sortedBy(sort, byAge)

  const start = startOf(ordered, page)
  const end = start + page.limit
  const shown = ordered.slice(start, end)
  const last = shown.at(-1)
  return {
    outcome: 'listed',
    total: ordered.length,
    records: shown.map((row) => row.record()),
    next: last === undefined || end >= ordered.length ? undefined : sort === undefined ? positionOf(last) : String(end),
  }
}

/** Sorting is stable: equal ones stay in the order that they come in. */
function sortedBy<Row extends ListedRow<unknown>>(sort: SortKey, rows: readonly Row[]): readonly Row[] {
  const sign = sort.direction === 'ascending' ? 1 : -1
  const valued = rows.map((row) => ({ row, value: sortValue(row.comparable(), sort) }))
  return valued.toSorted((one, other) => sign * compareValues(one.value, other.value)).map(({ row }) => row)
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

const compareAge = (one: ListedRow<unknown>, other: ListedRow<unknown>): number =>
  one.createdAt - other.createdAt || compareText(one.id, other.id)
