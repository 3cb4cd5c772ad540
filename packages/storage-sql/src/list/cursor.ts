import { type ListPage, type ListPosition, type SortKey, utf8Length } from '@mintmark/storage-interface/stores'
import { sql } from 'kysely'
import type { Parameter } from '../database.ts'
import type { SqlEngine } from '../dialect.ts'
import type { ListOrder, Sql } from '../json-search.ts'

/** The parameters that contain the position after a row. */
export type AfterValue = 'after_created_at' | 'after_id' | 'after_key'

interface Columns {
  /** The sorted values of a row. */
  readonly values: readonly Sql[]
  readonly createdAt: Sql
  readonly id: Sql
}

/** The condition for the rows after the position. */
export function isAfterCursor(
  { order, sort, engine }: { readonly order: ListOrder; readonly sort: SortKey; readonly engine: SqlEngine },
  { values, createdAt, id }: Columns,
  p: Parameter<AfterValue>,
): Sql {
  const direction = sort.direction === 'ascending' ? '>' : '<'
  const keys = order.after((type) => engine.search.keyValue(sql`${p('after_key')}`, type))
  // Without casts, with which SQLite would not use the column in an index.
  const age = [sql`${p('after_created_at')}`, sql`${p('after_id')}`]
  if (!order.mayBeAbsent) return engine.isBeyond([...values, createdAt, id], direction, [...keys, ...age])
  return values.reduceRight<Sql>(
    (rest, value, place) => {
      const key = keys[place] ?? sql`null`
      // Rows without a value come last in ascending order, and first in descending order.
      const isBeyond =
        sort.direction === 'ascending'
          ? sql`${value} > ${key} or (${value} is null and ${key} is not null)`
          : sql`${value} < ${key} or (${value} is not null and ${key} is null)`
      return sql`(${isBeyond} or (${engine.isSame(value, key)} and ${rest}))`
    },
    engine.isBeyond([createdAt, id], direction, age),
  )
}

/** The start of a page: after a row, and then an offset. */
export interface PageStart {
  readonly createdAt: number
  readonly id: string
  /** In a sorted list, the JSON text of a list with the row's value. */
  readonly key: string | undefined
  readonly offset: number
}

/**
 * Returns where a page starts: after a row, which may no longer exist, or at an offset. An unknown position starts from the
 * beginning.
 */
export function pageStart({ page, sort }: { readonly page: ListPage; readonly sort: SortKey | undefined }): PageStart {
  if (page.kind === 'index') return { ...beforeFirst, offset: page.offset }
  const { after = '' } = page
  if (sort === undefined) {
    const [, createdAt, id] = /^(\d{1,15})\.(.*)$/s.exec(after) ?? []
    return id === undefined ? beforeFirst : { ...beforeFirst, createdAt: Number(createdAt), id }
  }
  const [, offset, createdAt, length, rest = ''] = /^(\d{1,15})(?:\.(\d{1,15})\.(\d{1,4})\.(.*))?$/s.exec(after) ?? []
  if (createdAt === undefined) return { ...beforeFirst, offset: Number(offset ?? 0) }
  const key = rest.slice(0, Number(length))
  if (!isKey(key)) return beforeFirst
  return { createdAt: Number(createdAt), id: rest.slice(Number(length)), key, offset: Number(offset) }
}

/** Whether text is a list with one value, as the databases write it: another one could be an error in a statement. */
function isKey(text: string): boolean {
  try {
    const list: unknown = JSON.parse(text)
    if (!Array.isArray(list) || list.length !== 1) return false
    const value: unknown = list[0]
    // PostgreSQL refuses these characters in JSON.
    if (typeof value === 'string') return !/\0|\p{Surrogate}/u.test(value)
    return typeof value === 'number' ? Number.isFinite(value) : value === null || typeof value === 'boolean'
  } catch {
    // Not JSON.
    return false
  }
}

/** Returns the position after a row of a list by age. */
export const positionAfter = ({ createdAt, id }: Pick<PageStart, 'createdAt' | 'id'>): ListPosition =>
  `${createdAt}.${id}`

/**
 * Returns the position after the last row of a page of a sorted list. If the row's value is too long for the URL of the next
 * page, the position is the start of the page and the number of rows since then.
 */
export function positionAfterKey(
  { createdAt, id, key }: { readonly createdAt: number; readonly id: string; readonly key: string },
  { start, rows }: { readonly start: PageStart; readonly rows: number },
): ListPosition {
  if (utf8Length(key) <= longestKey) return `0.${createdAt}.${key.length}.${key}${id}`
  const offset = start.offset + rows
  return start.key === undefined
    ? `${offset}`
    : `${offset}.${start.createdAt}.${start.key.length}.${start.key}${start.id}`
}

/** In bytes. A string attribute has at most 1,024 characters unless the host allows more, so its JSON text is shorter. */
const longestKey = 3100

/** Before every row. */
export const beforeFirst: PageStart = { createdAt: Number.MIN_SAFE_INTEGER, id: '', key: undefined, offset: 0 }
