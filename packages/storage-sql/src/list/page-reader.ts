import { compareText, type ListOutcome, type ListPosition, type ListQuery } from '@mintmark/storage-interface/stores'
import { sql } from 'kysely'
import type { SqlEngine, SqlRow } from '../dialect.ts'
import type { Sql } from '../json-search.ts'
import { createColumnReader } from '../row.ts'
import { type PageStart, positionAfter, positionAfterKey } from './cursor.ts'
import type { ListedKind, RowExpression } from './listed-kind.ts'
import type { PageForm } from './page-of-records.ts'

/** A query for rows of one kind, of a provider or of the whole issuer. */
export type RowQuery = Omit<ListQuery, 'providerId'>

/** What was found, besides the rows. */
export interface Found {
  readonly total: number
  /** The number of rows of the page before its bytes are limited, plus one if there are more rows. */
  readonly inPage: number
  readonly start: PageStart
}

/** Reads the rows of a page. */
export interface PageReader<Record> {
  /** @param rows the rows of the page, and one more if there are more. */
  readonly toOutcome: (rows: readonly SqlRow[], query: RowQuery, found: Found) => ListOutcome<Record>
  readonly hasRecord: (row: SqlRow) => boolean
  /** Compares a row with a position in a list by age. */
  readonly compareAge: (row: SqlRow, position: Pick<PageStart, 'createdAt' | 'id'>) => number
}

export function createPageReader<Record>(
  engine: SqlEngine,
  { kind: { id }, read }: { readonly kind: ListedKind; readonly read: (row: SqlRow) => Record },
): PageReader<Record> {
  const columns = createColumnReader(engine)
  const keyOf = (row: SqlRow) => ({ createdAt: columns.integer(row, 'created_at'), id: columns.text(row, id) })

  return {
    toOutcome(rows, { sort, page: { kind, limit }, maxBytes }, found) {
      const shown = rows.slice(0, limit)
      const { total } = found
      if (kind === 'index' && maxBytes !== undefined && shown.length === 0 && found.inPage > 0)
        return { outcome: 'listed', total, records: [], next: undefined, isTooLarge: true }
      const last = shown.at(-1)
      const isLast = last === undefined || found.inPage === shown.length
      const next = (row: SqlRow): ListPosition =>
        sort === undefined
          ? positionAfter(keyOf(row))
          : positionAfterKey({ ...keyOf(row), key: columns.text(row, 'sort_key') }, { ...found, rows: shown.length })
      return { outcome: 'listed', total, records: shown.map(read), next: isLast ? undefined : next(last) }
    },
    hasRecord: (row) => columns.has(row, id),
    compareAge(row, position) {
      const key = keyOf(row)
      return key.createdAt - position.createdAt || compareText(key.id, position.id)
    },
  }
}

/** Returns what a page returns for each row. */
export function pageFormOf(kind: ListedKind, { page, without, maxBytes }: RowQuery, { key }: PageStart): PageForm {
  const { groupsSize, record, recordWithoutGroups = record, recordInPage = () => record } = kind
  const size = (): Sql => kind.size
  const sizeWithGroups: RowExpression = groupsSize === undefined ? size : (p) => sql`${kind.size} + ${groupsSize(p)}`
  return {
    isAfterKey: key !== undefined,
    isWhole: page.kind === 'index',
    record: without === 'groups' ? () => recordWithoutGroups : recordInPage,
    size: maxBytes === undefined ? undefined : without === 'groups' ? size : sizeWithGroups,
  }
}

/** Returns the parameters of a page. */
export const pageValues = ({ page: { limit }, maxBytes = 0 }: RowQuery, { createdAt, id, key, offset }: PageStart) => ({
  after_key: key ?? null,
  after_created_at: createdAt,
  after_id: id,
  // One more row shows whether there is a next page. A page of no rows needs no such row.
  limit: limit === 0 ? 0 : limit + 1,
  offset,
  max_bytes: maxBytes,
})
