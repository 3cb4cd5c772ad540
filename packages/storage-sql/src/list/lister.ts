import { type JsonObject } from '@mintmark/storage-interface'
import {
  compareText,
  type ListOutcome,
  type ListPage,
  type ListPosition,
  type ListQuery,
} from '@mintmark/storage-interface/stores'
import type { Database } from '../database.ts'
import type { SqlRow } from '../dialect.ts'
import { filterTemplate, type FilterValues } from './filter.ts'
import { createFindFew } from './find-few.ts'
import type { ListedKind } from './listed-kind.ts'
import { candidateLimit, matchStatement, type MatchStatement, pageStatement, totalStatement } from './statements.ts'
import { createRecentMap } from '../recent-map.ts'
import { createColumnReader } from '../row.ts'

/** A query for rows of one kind, of a provider or of the whole issuer. */
type Asked = Omit<ListQuery, 'providerId'>

/** The rows to list, and how to read them. */
interface Listing<Record, Query extends Asked> {
  readonly kind: ListedKind
  readonly read: (row: SqlRow) => Record
  /** The parameters of the kind's conditions, beside the issuer. */
  readonly owner: (query: Query) => FilterValues
  /**
   * The attributes that filters compare, of a row with its document. If they cannot be told from a row alone, the
   * database evaluates every filter.
   */
  readonly comparable?: (row: SqlRow) => JsonObject
}

/** @param scanLimit how many rows a list may read one by one if no index finds fewer. */
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

  /** @param rows the rows of the page, and one more if there are more. */
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
    // RFC 7644 §3.12 tooMany: so many rows share the value that was looked up.
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
  // One more row shows whether there is a next page. A page of no rows needs no such row.
  limit: limit === 0 ? 0 : limit + 1,
  offset,
})

/** The start of a page: after a row in the order of age, and then an offset. */
interface PageStart {
  readonly createdAt: number
  readonly id: string
  readonly offset: number
}

/**
 * A list by age continues after its last row, `createdAt.id`, wherever that row is by then; a sorted list continues at
 * an offset. An unknown position starts from the beginning.
 */
function pageStart(page: ListPage): PageStart {
  if (page.kind === 'index') return { ...beforeAll, offset: page.offset }
  const [, createdAt, dot, id] = /^(\d{1,15})(\.?)(.*)$/s.exec(page.after ?? '') ?? []
  if (createdAt === undefined || id === undefined) return { ...beforeAll, offset: 0 }
  return dot === '.' ? { createdAt: Number(createdAt), id, offset: 0 } : { ...beforeAll, offset: Number(createdAt) }
}

/** The position after a row of a list by age. */
const positionBehind = (row: { readonly createdAt: number; readonly id: string }): ListPosition =>
  `${row.createdAt}.${row.id}`

/** Before every row. */
const beforeAll = { createdAt: Number.MIN_SAFE_INTEGER, id: '' }
