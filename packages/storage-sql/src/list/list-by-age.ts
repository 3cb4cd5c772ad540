import { createRecentMap } from '@mintmark/internal'
import type { ListOutcome } from '@mintmark/storage-interface/stores'
import type { Database, Statement } from '../database.ts'
import type { SqlRow } from '../dialect.ts'
import { createColumnReader } from '../row.ts'
import { beforeFirst, type PageStart } from './cursor.ts'
import type { FilterValues } from './filter.ts'
import { type ListedKind, smallPageBytes } from './listed-kind.ts'
import { type Found, pageFormOf, type PageReader, pageValues, type RowQuery } from './page-reader.ts'
import { isReadRowByRow, pageStatement } from './page-of-records.ts'

/** The rows to list. */
interface ListedByAge<Record, Query extends RowQuery> {
  readonly kind: ListedKind
  readonly owner: (query: Query) => FilterValues
  readonly totalOf: (query: Query) => Promise<number>
  readonly reader: PageReader<Record>
}

/** Returns a function that lists all rows by age. */
export function createListByAge<Record, Query extends RowQuery>(
  { engine, query: builder, run }: Database,
  { kind, owner, totalOf, reader }: ListedByAge<Record, Query>,
): (query: Query, start: PageStart) => Promise<ListOutcome<Record>> {
  const columns = createColumnReader(engine)
  const pages = createRecentMap<Statement<string>>({ limit: 8 })

  return async (query, start) => {
    const read = (lifetime: 'lasting' | 'long', maxBytes?: number): Promise<readonly SqlRow[]> => {
      const isSmall = lifetime === 'lasting' && query.without !== 'groups'
      const complete = pageFormOf(kind, query, start)
      const form = isSmall ? { ...complete, ...kind.withFewGroups } : complete
      const key = JSON.stringify([query.without, form.isWhole, form.size !== undefined, lifetime])
      const page = pages.get(key, () => pageStatement({ engine, query: builder }, kind, { form, lifetime }))
      const values = { ...owner(query), ...pageValues(query, start), max_bytes: maxBytes ?? 0 }
      const isCutByReader = isReadRowByRow(engine, { form, lifetime })
      return run(page, values, { signal: query.signal, maxBytes: isCutByReader ? maxBytes : undefined })
    }
    const { maxBytes } = query
    const found =
      maxBytes === undefined ? countedPage(await read('long')) : await readLimited(read, { query, maxBytes }, start)
    const { rows, inPage } = found
    const [first] = rows
    const total =
      first === undefined ? await totalWithoutRows(query, { start, inPage }) : columns.integer(first, 'total')
    return reader.toOutcome(rows.filter(reader.hasRecord), query, { total, inPage, start })
  }

  /** No row after an offset means at most that many rows. Rows that were inserted since then are not counted. */
  async function totalWithoutRows(query: Query, { start, inPage }: Omit<Found, 'total'>): Promise<number> {
    const isPastEnd = inPage === 0 && query.page.limit > 0 && start.createdAt === beforeFirst.createdAt
    if (isPastEnd && start.offset === 0) return 0
    const total = await totalOf(query)
    return isPastEnd ? Math.min(total, start.offset) : total
  }

  /** Returns a page whose bytes are not limited, or were limited by the engine, which has counted its rows before that. */
  function countedPage(rows: readonly SqlRow[]): PageRows {
    const [first] = rows
    return {
      rows,
      inPage:
        first !== undefined && first.indexByColumn.has('in_page') ? columns.integer(first, 'in_page') : rows.length,
    }
  }

  /**
   * Most pages are small. They are read without the thread of long queries on SQLite, or the transaction of long queries on
   * PostgreSQL, which cost more than the query. A page that turns out to be large is read again as a long query.
   */
  async function readLimited(
    read: (lifetime: 'lasting' | 'long', maxBytes?: number) => Promise<readonly SqlRow[]>,
    { query: { page }, maxBytes }: { readonly query: Query; readonly maxBytes: number },
    { offset }: PageStart,
  ): Promise<PageRows> {
    if (offset <= smallOffset && maxBytes > smallPageBytes) {
      const small = countedPage(await read('lasting', smallPageBytes))
      if (isComplete(small)) return small
    }
    const found = countedPage(await read('long', maxBytes))
    return engine.readsRowByRow && page.kind === 'cursor'
      ? { ...found, rows: withinBytes(found.rows, maxBytes) }
      : found
  }

  /** Whether a small page has all its rows. Of a row with more bytes, only some of the groups have been read. */
  function isComplete({ rows, inPage }: PageRows): boolean {
    return engine.readsRowByRow ? bytesOf(rows) < smallPageBytes : rows.filter(reader.hasRecord).length === inPage
  }

  function bytesOf(rows: readonly SqlRow[]): number {
    return rows.reduce((sum, row) => sum + columns.integer(row, 'bytes'), 0)
  }

  /** Returns the rows before which the sum of the bytes has not reached the maximum. */
  function withinBytes(rows: readonly SqlRow[], maxBytes: number): readonly SqlRow[] {
    let bytes = 0
    const past = rows.findIndex((row) => {
      if (bytes >= maxBytes) return true
      bytes += columns.integer(row, 'bytes')
      return false
    })
    return past === -1 ? rows : rows.slice(0, past)
  }
}

interface PageRows {
  readonly rows: readonly SqlRow[]
  /** The number of rows of the page before its bytes are limited, plus one if there are more rows. */
  readonly inPage: number
}

/** Skipping at most this many entries of an index takes about a millisecond. */
const smallOffset = 10_000
