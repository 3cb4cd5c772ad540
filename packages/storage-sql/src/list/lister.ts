import {
  compareText,
  type JsonObject,
  type ListOutcome,
  type ListPage,
  type ListPosition,
  type ListQuery,
} from '@mintmark/storage-interface'
import type { Database } from '../database.ts'
import type { SqlRow } from '../dialect.ts'
import { filterTemplate, type FilterValues } from './filter.ts'
import { createFindFew } from './find-few.ts'
import type { ListedKind } from './listed-kind.ts'
import { candidateLimit, matchStatement, type MatchStatement, pageStatement, totalStatement } from './statements.ts'
import { createRecentMap } from '../recent-map.ts'
import { createColumnReader } from '../row.ts'

/** What is asked about rows of one kind: those of a provider, which is then part of the query, or all of an issuer. */
type Asked = Omit<ListQuery, 'providerId'>

/** What is listed, and how its rows are read. */
interface Listing<Record, Query extends Asked> {
  readonly kind: ListedKind
  readonly read: (row: SqlRow) => Record
  /** What says, beside the issuer, whose rows are listed: what the conditions of the kind are bound to. */
  readonly owner: (query: Query) => FilterValues
  /** What filters are about, of a row with its document; where it cannot be told of a row alone the database tests all filters. */
  readonly comparable?: (row: SqlRow) => JsonObject
}

/** @param scanLimit at how many rows a list may look one by one, where no index finds fewer. */
export function createLister<Record, Query extends Asked>(
  database: Database,
  { kind, read, owner, comparable }: Listing<Record, Query>,
  { scanLimit }: { readonly scanLimit: number },
): (query: Query) => Promise<ListOutcome<Record>> {
  const { run } = database
  const columns = createColumnReader(database.engine)
  const findFew = createFindFew(database, kind, comparable)
  const total = totalStatement(database, kind)
  const page = pageStatement(database, kind)
  const shapes = createRecentMap<MatchStatement>({ limit: 200 })

  /** @param rows those of the page, and one more where there are more. */
  function listed(rows: readonly SqlRow[], { sort, page: { limit } }: Asked, found: Found): ListOutcome<Record> {
    const shown = rows.slice(0, limit)
    const last = shown.at(-1)
    const isLast = last === undefined || rows.length === shown.length
    const next = sort === undefined ? last && positionBehind(keyOf(last)) : String(found.start.offset + limit)
    return { outcome: 'listed', total: found.total, records: shown.map(read), next: isLast ? undefined : next }
  }

  const keyOf = (row: SqlRow) => ({ createdAt: columns.integer(row, 'created_at'), id: columns.text(row, kind.id) })

  function compareAge(row: SqlRow, { createdAt, id }: Pick<PageStart, 'createdAt' | 'id'>): number {
    const key = keyOf(row)
    return key.createdAt - createdAt || compareText(key.id, id)
  }

  async function totalOf(query: Query): Promise<number> {
    const [all] = await run(total, owner(query))
    return all === undefined ? 0 : columns.integer(all, 'total')
  }

  async function listMatching(query: Query, start: PageStart): Promise<ListOutcome<Record>> {
    const { filter, sort } = query
    const { template, values } = filter === undefined ? noFilter : filterTemplate(filter, database.engine.encodeFlag)
    const shape = JSON.stringify([template, sort])
    const { statement, looksAt, weight } = shapes.get(shape, () =>
      matchStatement(database, kind, { filter: template, sort }),
    )
    const limit = Math.floor(scanLimit / weight)
    // RFC 7644 §3.12 tooMany: a request may not make the database read more than this.
    if (looksAt === 'everything' && (await totalOf(query)) > limit) return { outcome: 'tooMany' }
    const rows = await run(statement, {
      ...owner(query),
      ...pageValues(query, start),
      ...values,
      [candidateLimit]: limit + 1,
    })
    const [first] = rows
    // RFC 7644 §3.12 tooMany: so many share the value that was looked up.
    if (first === undefined || columns.integer(first, 'looked_at') > limit) return { outcome: 'tooMany' }
    return listed(rows.filter(isThere), query, { total: columns.integer(first, 'total'), start })
  }

  const isThere = (row: SqlRow): boolean => columns.has(row, kind.id)

  return async (query) => {
    const { filter, sort } = query
    const start = pageStart(query.page)
    const few = filter && (await findFew(filter, owner(query)))
    if (few !== undefined && (sort === undefined || few.length < 2)) {
      const byAge = few
        .filter((row) => compareAge(row, start) > 0)
        .toSorted((row, other) => compareAge(row, keyOf(other)))
      return listed(byAge.slice(start.offset), query, { total: few.length, start })
    }
    if (filter !== undefined || sort !== undefined) return listMatching(query, start)

    const rows = await run(page, { ...owner(query), ...pageValues(query, start) })
    const [first] = rows
    return listed(rows.filter(isThere), query, {
      total: first === undefined ? await totalOf(query) : columns.integer(first, 'total'),
      start,
    })
  }
}

interface Found {
  readonly total: number
  readonly start: PageStart
}

const noFilter = { template: undefined, values: {} }

const pageValues = ({ page: { limit } }: Asked, { createdAt, id, offset }: PageStart) => ({
  after_created_at: createdAt,
  after_id: id,
  // One more tells whether there are more. Of no rows nobody asks what comes after.
  limit: limit === 0 ? 0 : limit + 1,
  offset,
})

/** Where a page begins: behind a row in the order of age, and then so many rows later. */
interface PageStart {
  readonly createdAt: number
  readonly id: string
  readonly offset: number
}

/**
 * A list by age goes on behind its last row, `createdAt.id`, wherever that row is by then; a sorted one at a number.
 * A position that was not made here leads to the beginning.
 */
function pageStart(page: ListPage): PageStart {
  if (page.kind === 'index') return { ...beforeAll, offset: page.offset }
  const [, createdAt, dot, id] = /^(\d{1,15})(\.?)(.*)$/s.exec(page.after ?? '') ?? []
  if (createdAt === undefined || id === undefined) return { ...beforeAll, offset: 0 }
  return dot === '.' ? { createdAt: Number(createdAt), id, offset: 0 } : { ...beforeAll, offset: Number(createdAt) }
}

/** Behind a row, in a list by age. */
const positionBehind = (row: { readonly createdAt: number; readonly id: string }): ListPosition =>
  `${row.createdAt}.${row.id}`

/** Nothing is as old. */
const beforeAll = { createdAt: Number.MIN_SAFE_INTEGER, id: '' }
