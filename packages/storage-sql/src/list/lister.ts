// One file: whether a list would read too much decides which statement answers it.

import { createRecentMap } from '@mintmark/internal'
import type { JsonObject, ResolvedFilter } from '@mintmark/storage-interface'
import {
  compareText,
  comparisonsOf,
  type ListOutcome,
  type ListPosition,
  type ListQuery,
} from '@mintmark/storage-interface/stores'
import { sql } from 'kysely'
import type { Database, Statement } from '../database.ts'
import type { SqlRow } from '../dialect.ts'
import { filterTemplate, type FilterValues } from './filter.ts'
import { createFindFew } from './find-few.ts'
import { beforeFirst, type PageStart, pageStart, positionAfter, positionAfterKey } from './cursor.ts'
import { type ListedKind, smallPageBytes } from './listed-kind.ts'
import {
  candidateLimit,
  inexactStatement,
  matchStatement,
  type MatchStatement,
  rowsStatement,
  sizeStatement,
  totalStatement,
} from './statements.ts'
import { type PageForm, pageStatement } from './page-of-records.ts'
import { entryLimit } from './read-entries.ts'
import { createColumnReader } from '../row.ts'

/** A query for rows of one kind, of a provider or of the whole issuer. */
type RowQuery = Omit<ListQuery, 'providerId'>

/** The rows to list, and how to read them. */
interface Listing<Record, Query extends RowQuery> {
  readonly kind: ListedKind
  readonly read: (row: SqlRow) => Record
  /** The parameters of the kind's conditions, besides the issuer. */
  readonly owner: (query: Query) => FilterValues
  /**
   * Reads the attributes that filters compare from a row with its document. Left out if a row alone does not contain them:
   * then the database evaluates every filter.
   */
  readonly comparable?: (row: SqlRow) => JsonObject
}

/**
 * @param scanLimit how many ordinary rows a list may read one by one if no index finds fewer; a large row counts as
 * several.
 */
export function createLister<Record, Query extends RowQuery>(
  database: Database,
  { kind, read, owner, comparable }: Listing<Record, Query>,
  { scanLimit }: { readonly scanLimit: number },
): (query: Query) => Promise<ListOutcome<Record>> {
  const { run } = database
  const columns = createColumnReader(database.engine)
  const findFew = createFindFew(database, kind, comparable)
  const total = totalStatement(database, kind)
  const size = sizeStatement(database, kind)
  const pages = createRecentMap<Statement<string>>({ limit: 8 })
  const shapes = createRecentMap<MatchStatement>({ limit: 100, maxKeyLength: longestShape })

  /** @param rows the rows of the page, and one more if there are more. */
  function toOutcome(rows: readonly SqlRow[], { sort, page: { limit } }: RowQuery, found: Found): ListOutcome<Record> {
    const shown = rows.slice(0, limit)
    const last = shown.at(-1)
    const isLast = last === undefined || found.inPage === shown.length
    const next = (row: SqlRow): ListPosition =>
      sort === undefined
        ? positionAfter(keyOf(row))
        : positionAfterKey({ ...keyOf(row), key: columns.text(row, 'sort_key') }, { ...found, rows: shown.length })
    return { outcome: 'listed', total: found.total, records: shown.map(read), next: isLast ? undefined : next(last) }
  }

  const keyOf = (row: SqlRow) => ({ createdAt: columns.integer(row, 'created_at'), id: columns.text(row, kind.id) })

  function compareAge(row: SqlRow, { createdAt, id }: Pick<PageStart, 'createdAt' | 'id'>): number {
    const key = keyOf(row)
    return key.createdAt - createdAt || compareText(key.id, id)
  }

  async function totalOf(query: Query): Promise<number> {
    const [all] = await run(total, owner(query), { signal: query.signal })
    return all === undefined ? 0 : columns.integer(all, 'total')
  }

  const unitsOf = async (
    statement: Statement<string>,
    values: FilterValues,
    { signal }: Pick<RowQuery, 'signal'>,
  ): Promise<number> => {
    const [row] = await run(statement, values, { signal })
    return row === undefined ? 0 : columns.integer(row, 'units')
  }

  const sizeWithGroups = kind.groupsSize === undefined ? kind.size : sql`${kind.size} + ${kind.groupsSize}`
  const pageFormOf = ({ without, maxBytes }: RowQuery, start: PageStart): PageForm => ({
    isAfterKey: start.key !== undefined,
    record: without === 'groups' ? (kind.recordWithoutGroups ?? kind.record) : kind.record,
    size: maxBytes === undefined ? undefined : without === 'groups' ? kind.size : sizeWithGroups,
  })

  /** Returns the work of a list as a fraction of the allowed work: more than 1 is too much (RFC 7644 §3.12 tooMany). */
  async function loadOf(match: MatchStatement, query: Query, { limits, values }: Bound): Promise<number> {
    switch (match.reads) {
      case 'order':
        return 0
      case 'index': {
        const ofEntries = await loadOfEntries(match, query, { limits, values })
        if (ofEntries > 1 || match.units === undefined) return ofEntries
        return Math.max(ofEntries, (await unitsOf(match.units, values, query)) / limits.rows)
      }
      case 'everything': {
        const ofTotal = (await totalOf(query)) / limits.rows
        return ofTotal > 1 ? ofTotal : Math.max(ofTotal, (await unitsOf(size, owner(query), query)) / limits.rows)
      }
      default:
        return match.reads satisfies never
    }
  }

  async function loadOfEntries(
    { entries: { ofEveryRow, areRanges, count } }: MatchStatement,
    query: Query,
    { limits, values }: Bound,
  ): Promise<number> {
    if (areRanges && limits.comparisons <= ordinaryComparisons) return 0
    const wholeIndexes = ofEveryRow ? (await totalOf(query)) / limits.entries : 0
    // Counting an entry takes a fraction of the time of many comparisons with it.
    if (count === undefined || wholeIndexes > 1) return wholeIndexes
    const most = Math.ceil(limits.entries) + 1
    return wholeIndexes + (await unitsOf(count, { ...values, [entryLimit]: most }, query)) / limits.entries
  }

  async function listMatching(query: Query, start: PageStart): Promise<ListOutcome<Record>> {
    const { filter, sort } = query
    const { template, values } = filter === undefined ? noFilter : filterTemplate(filter, database.engine.encodeFlag)
    const limits = limitsOf(filter, scanLimit)
    const form = pageFormOf(query, start)
    const shape = JSON.stringify([template, sort, query.without, form.size !== undefined, form.isAfterKey])
    const found = shapes.get(shape, () => matchStatement(database, kind, { filter: template, sort, form }))
    // The index may contain shortened values. Then only the rows give the right order.
    const match = (await isExact(found, query))
      ? found
      : shapes.get(`rows ${shape}`, () => rowsStatement(database, kind, { filter: template, sort, form }))
    const bound = { start, values, limits }
    const outcome = await listMatched(query, match, bound)
    const { alternative } = match
    if (outcome.outcome === 'listed' || alternative === undefined || !(await isExact(alternative, query)))
      return outcome
    return listMatched(query, alternative, bound)
  }

  async function isExact({ mustBeExact }: MatchStatement, query: Query): Promise<boolean> {
    if (mustBeExact.length === 0) return true
    const statement = inexactStatement(database, mustBeExact)
    return (await run(statement, owner(query), { signal: query.signal })).length === 0
  }

  async function listMatched(
    query: Query,
    match: MatchStatement,
    { start, values, limits }: Bound & { readonly start: PageStart },
  ): Promise<ListOutcome<Record>> {
    const limit = Math.floor(limits.rows)
    const all = { ...owner(query), ...values, [candidateLimit]: limit + 1 }
    const load = await loadOf(match, query, { limits, values: all })
    if (load > 1) return { outcome: 'tooMany' }
    const rows = await run(match.statement, { ...all, ...pageValues(query, start) }, { signal: query.signal })
    const [first] = rows
    // Too many rows share the value that was looked up.
    if (first === undefined || columns.integer(first, 'looked_at') > limit) return { outcome: 'tooMany' }
    const outcome = toOutcome(rows.filter(hasRecord), query, {
      total: columns.integer(first, 'total'),
      inPage: columns.integer(first, 'in_page'),
      start,
    })
    return load > nearLimit && outcome.outcome === 'listed' ? { ...outcome, isNearLimit: true } : outcome
  }

  const hasRecord = (row: SqlRow): boolean => columns.has(row, kind.id)

  return async (query) => {
    const { filter, sort } = query
    const start = pageStart(query)
    const few = filter && (await findFew(filter, owner(query)))
    // Several rows need an order, and a page of limited bytes: the database does both.
    // After a sorted value, the database finds out whether the row has been listed.
    if (few !== undefined && few.length < 2 && start.key === undefined) {
      const page = few.filter((row) => compareAge(row, start) > 0).slice(start.offset)
      return toOutcome(page, query, { total: few.length, inPage: page.length, start })
    }
    if (filter !== undefined || sort !== undefined) return listMatching(query, start)

    return listByAge(query, start)
  }

  async function listByAge(query: Query, start: PageStart): Promise<ListOutcome<Record>> {
    const read = (lifetime: 'lasting' | 'long', maxBytes?: number): Promise<readonly SqlRow[]> => {
      const isSmall = lifetime === 'lasting' && query.without !== 'groups'
      const form =
        isSmall && kind.withFewGroups ? { ...kind.withFewGroups, isAfterKey: false } : pageFormOf(query, start)
      const key = JSON.stringify([query.without, form.size !== undefined, lifetime])
      const page = pages.get(key, () => pageStatement(database, kind, { form, lifetime }))
      return run(page, { ...owner(query), ...pageValues(query, start) }, { signal: query.signal, maxBytes })
    }
    const { maxBytes } = query
    const found =
      maxBytes !== undefined && database.engine.readsRowByRow
        ? await readRowByRow(read, maxBytes, start)
        : countedPage(await read('long'))
    const { rows, inPage } = found
    const [first] = rows
    const total =
      first === undefined ? await totalWithoutRows(query, { start, inPage }) : columns.integer(first, 'total')
    return toOutcome(rows.filter(hasRecord), query, { total, inPage, start })
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
   * Most pages are small. They are read without the detour through the thread of long queries, which costs more than the
   * query. A page that turns out to be large is read again, in the thread.
   */
  async function readRowByRow(
    read: (lifetime: 'lasting' | 'long', maxBytes?: number) => Promise<readonly SqlRow[]>,
    maxBytes: number,
    { offset }: PageStart,
  ): Promise<PageRows> {
    if (offset <= smallOffset && maxBytes > smallPageBytes) {
      const rows = await read('lasting', smallPageBytes)
      // Of a row with more bytes, only some of the groups have been read.
      if (bytesOf(rows) < smallPageBytes) return { rows, inPage: rows.length }
    }
    const rows = await read('long', maxBytes)
    return { rows: withinBytes(rows, maxBytes), inPage: rows.length }
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

/** Statements for longer filters are compiled each time, because one takes several times the memory of its shape. */
const longestShape = 4096

/** What a list may read with a filter. */
interface ReadLimits {
  readonly comparisons: number
  /** The number of ordinary rows. */
  readonly rows: number
  /** The number of entries of indexes. */
  readonly entries: number
}

/** The values of a statement, and how much it may read. */
interface Bound {
  readonly values: FilterValues
  readonly limits: ReadLimits
}

function limitsOf(filter: ResolvedFilter | undefined, scanLimit: number): ReadLimits {
  const work = filter === undefined ? 1 : comparisonsOf(filter, rowCosts)
  const comparisons = filter === undefined ? 1 : Math.max(1, comparisonsOf(filter, entryCosts))
  return {
    comparisons,
    rows: scanLimit / Math.max(1, work / ordinaryComparisons),
    entries: (scanLimit * entriesOfRow) / comparisons,
  }
}

/** This many comparisons with a row are as much work as reading the row. */
const ordinaryComparisons = 5

/** Unnesting a list is as much work as a few comparisons. */
const rowCosts = { list: 4, equalities: 'each' } as const

/** An entry of an index has one value. */
const entryCosts = { list: 0, equalities: 'each' } as const

/** Reading a row is as much work as reading this many entries of an index and comparing each once. */
const entriesOfRow = 100

/** Above this fraction of the limit, the outcome has `isNearLimit`. */
const nearLimit = 0.5

interface Found {
  readonly total: number
  /** The number of rows of the page before its bytes are limited, plus one if there are more rows. */
  readonly inPage: number
  readonly start: PageStart
}

const noFilter = { template: undefined, values: {} }

const pageValues = ({ page: { limit }, maxBytes = 0 }: RowQuery, { createdAt, id, key, offset }: PageStart) => ({
  after_key: key ?? null,
  after_created_at: createdAt,
  after_id: id,
  // One more row shows whether there is a next page. A page of no rows needs no such row.
  limit: limit === 0 ? 0 : limit + 1,
  offset,
  max_bytes: maxBytes,
})
