import type { SortKey } from '@mintmark/storage-interface/stores'
import { sql } from 'kysely'
import { compileSql, type Database, type Parameter, type Statement } from '../database.ts'
import type { SqlEngine, StatementLifetime } from '../dialect.ts'
import type { ListOrder, Sql } from '../json-search.ts'
import { type AfterValue, isAfterCursor } from './cursor.ts'
import { keyOf, type ListedKind, type OwnerValue, type RowExpression } from './listed-kind.ts'

/** The parameters of a page. It holds one row more than it returns, which shows whether there is a next page. */
export type PageValue = OwnerValue | AfterValue | 'limit' | 'offset' | 'max_bytes'

/** The record that a page returns for each row, and whether its bytes are counted. */
export interface PageForm {
  readonly record: RowExpression
  /** The bytes of a record; `undefined` if they are not counted. */
  readonly size: RowExpression | undefined
  /** Whether the page continues a sorted list after a row. */
  readonly isAfterKey: boolean
  /** Whether a page whose bytes are limited has either all its records or none. */
  readonly isWhole: boolean
}

/** A sorted list. */
export interface SortedBy {
  readonly order: ListOrder
  readonly sort: SortKey
}

/** Returns the columns of a page that every index of rows with an age has. */
export const entryColumns = ({ table, id }: Pick<ListedKind, 'table' | 'id'>): Sql =>
  sql`${sql.ref(`${table}.${id}`)} as id, ${sql.ref(`${table}.created_at`)} as created_at`

export const sortNames = (values: readonly Sql[]): readonly Sql[] =>
  values.map((_, place) => sql`${sql.ref(`sort_${place}`)}`)

/**
 * Returns the order of a list. Rows with equal values are ordered by age in the same direction, so that an index can be read
 * either way.
 */
const orderOf = (
  values: readonly Sql[],
  { direction }: SortKey,
  { prefix, engine }: { readonly prefix: Sql; readonly engine: SqlEngine },
): Sql =>
  sql.join([
    ...values.map((value) => engine.nullsLast(sql`${prefix}${value}`, direction === 'descending' ? 'desc' : 'asc')),
    sql`${prefix}created_at ${directions[direction]}`,
    sql`${prefix}id ${directions[direction]}`,
  ])

export const directions = { ascending: sql.raw('asc'), descending: sql.raw('desc') }

/** The part of a list that a page shows. */
export const rangeOf = ({ wholeNumber }: SqlEngine, p: Parameter<'limit' | 'offset'>): Sql =>
  sql`limit ${wholeNumber(sql`${p('limit')}`)} offset ${wholeNumber(sql`${p('offset')}`)}`

export function pageOf(
  matching: Sql,
  {
    sorted,
    form,
    engine,
    p,
  }: {
    readonly sorted: SortedBy | undefined
    readonly form: PageForm
    readonly engine: SqlEngine
    readonly p: Parameter<PageValue>
  },
): Sql {
  const names = sortNames(sorted?.order.values ?? [])
  const order = sorted === undefined ? sql`created_at, id` : orderOf(names, sorted.sort, { prefix: sql``, engine })
  const columns = { values: names, createdAt: sql.ref('created_at'), id: sql.ref('id') }
  return sql`page ${engine.materialized} (
    select * from (${matching}) as matched where ${isInRest({ sorted, form, engine, p }, columns)}
    order by ${order} ${rangeOf(engine, p)}
  )`
}

/** The condition for the rows after the position where a page starts. */
export function isInRest(
  {
    sorted,
    form,
    engine,
    p,
  }: {
    readonly sorted: SortedBy | undefined
    readonly form: PageForm
    readonly engine: SqlEngine
    readonly p: Parameter<AfterValue>
  },
  columns: { readonly values: readonly Sql[]; readonly createdAt: Sql; readonly id: Sql },
): Sql {
  if (sorted === undefined)
    return engine.isBeyond([columns.createdAt, columns.id], '>', [sql`${p('after_created_at')}`, sql`${p('after_id')}`])
  return form.isAfterKey ? isAfterCursor({ ...sorted, engine }, columns, p) : sql`true`
}

/**
 * Returns a query for the records of the page, each with the total; it returns one row without a record if the page is empty.
 * Unless the engine joins pages, a list by age is sorted by columns of the table, and its rows are looked up one by one, because
 * the planner does not know the size of the page.
 */
export function recordsOfPage(
  kind: ListedKind,
  { form, engine, total, candidateCount, sorted, p }: PageOfRecords,
): Sql {
  const { table, id } = kind
  const names = sortNames(sorted?.order.values ?? [])
  const byAge = engine.joinsPages ? sql`page.created_at, page.id` : undefined
  const order = sorted === undefined ? byAge : orderOf(names, sorted.sort, { prefix: sql`page.`, engine })
  const sortKey = sorted && sql`${keyTextOf(sorted.order, names, engine)} as sort_key,`
  const key = keyOf({ table, id }, p)
  const { issuerColumn, issuer, column } = key
  const page = sql.ref(form.size !== undefined ? 'fitting' : 'page')
  const isInPage =
    order === undefined
      ? engine.keyAmong(key, sql`select id from ${page}`)
      : sql`${issuerColumn} = ${issuer} and ${column} = page.id`
  // RFC 7644 §3.4.2.4: a page may have fewer resources than requested. It has at least one. The size is written once:
  // PostgreSQL evaluates a subquery each time it is mentioned.
  const isBelow = sql`bytes_before < ${engine.wholeNumber(sql`${p('max_bytes')}`)}`
  // The row after the page may be left out: no record of the page is.
  const isComplete = sql`(select count(*) from summed where not ${isBelow})
    <= case when (select count(*) from summed) = ${engine.wholeNumber(sql`${p('limit')}`)} then 1 else 0 end`
  const fitting =
    form.size &&
    sql`, summed ${engine.materialized} (
      select page.*, coalesce(sum((select ${form.size(p)} from ${sql.table(table)} where ${issuerColumn} = ${issuer} and ${column} = page.id))
        over (order by ${order ?? sql`page.created_at, page.id`} rows between unbounded preceding and 1 preceding), 0) as bytes_before from page
    ), fitting ${engine.materialized} (select * from summed where ${isBelow} ${form.isWhole ? sql`and ${isComplete}` : sql``})`
  return sql`${fitting ?? sql``} select counted.total, counted.looked_at, counted.in_page, ${sortKey ?? sql``} ${form.record(p)}
    from (select ${total} as total, ${candidateCount ?? sql`0`} as looked_at, (select count(*) from page) as in_page) as counted
    ${order === undefined ? sql`` : sql`left join ${page} as page on true`}
    left join ${sql.table(table)} on ${isInPage}
    order by ${order ?? sql`${sql.ref(`${table}.created_at`)}, ${column}`}`
}

/** The JSON text of the value that a cursor contains. */
function keyTextOf({ key, keyText }: ListOrder, names: readonly Sql[], { search }: SqlEngine): Sql {
  const values = names.map((name) => sql`page.${name}`)
  return keyText === undefined ? search.toKey(key(values, sql`page.created_at`)) : keyText(values)
}

interface PageOfRecords {
  readonly form: PageForm
  readonly engine: SqlEngine
  readonly total: Sql
  readonly candidateCount?: Sql | undefined
  /** The order of the page, if it is not by age. */
  readonly sorted?: SortedBy | undefined
  readonly p: Parameter<OwnerValue | 'limit' | 'max_bytes'>
}

/**
 * Reads a page of all rows by age, each with the total; if the page is empty, no row or a row without a record. The total is
 * stored in a separate row and the page is a range of an index: an offset skips entries of the index, and a page past the
 * end reads nothing. If it is read row by row, a page of limited bytes has the column `bytes`, and the reader of the rows stops
 * at the limit. Otherwise the engine stops: before the limit if the statement is `lasting`, or else after it.
 */
export const pageStatement = (
  { query, engine }: Pick<Database, 'query' | 'engine'>,
  kind: ListedKind,
  { form, lifetime }: { readonly form: PageForm; readonly lifetime: StatementLifetime },
): Statement<string> =>
  compileSql(
    query,
    (parameter: Parameter<string>) => {
      const p: Parameter<PageValue> = parameter
      const { every, total } = kind.rows
      const id = sql.ref(kind.id)
      const after = [sql`${p('after_created_at')}`, sql`${p('after_id')}`]
      const page = (columns: Sql): Sql => sql`select ${columns} from ${engine.throughIndex(kind.table, kind.ageIndex)}
      where ${every(p)} and ${engine.isBeyond([sql`created_at`, id], '>', after)}
      ${engine.pageBefore({ order: sql`created_at, ${id}`, end: total(p), limit: sql`${p('limit')}`, offset: sql`${p('offset')}` })}`
      if (isReadRowByRow(engine, { form, lifetime })) {
        const bytes = form.size === undefined ? sql`` : sql`${form.size(p)} as bytes,`
        return page(sql`${total(p)} as total, ${bytes} ${form.record(p)}`)
      }
      const records = { form, engine, total: total(p), p }
      const entries = sql`with page ${engine.materialized} (${page(sql`created_at, ${id} as id`)})`
      if (lifetime !== 'lasting' || form.size === undefined) return sql`${entries} ${recordsOfPage(kind, records)}`
      const small = { ...records, size: form.size(p) }
      return engine.joinsPages ? sql`${entries} ${recordsOfSmallPage(kind, small)}` : smallPageInOrder(kind, small)
    },
    lifetime,
  )

/**
 * Whether the reader of the rows stops at the limit of bytes. It cannot know before whether the page is complete: then, the
 * engine measures the page first.
 */
export const isReadRowByRow = (
  { readsRowByRow }: SqlEngine,
  { form, lifetime }: { readonly form: PageForm; readonly lifetime: StatementLifetime },
): boolean => readsRowByRow && (lifetime === 'lasting' || form.size === undefined || !form.isWhole)

type SmallPage = Pick<PageOfRecords, 'form' | 'engine' | 'total'> & {
  readonly size: Sql
  readonly p: Parameter<PageValue>
}

/**
 * Returns a query for the records of a page by age as long as they are smaller together than the maximum. Each row of the table
 * is read once.
 */
function recordsOfSmallPage(kind: ListedKind, { form, engine, total, size, p }: SmallPage): Sql {
  const table = sql.table(kind.table)
  const key = keyOf(kind, p)
  const { from, where } = engine.rowsFound({ from: table, key, ids: sql`select id from page`, areDistinct: true })
  const age = sql`${sql.ref(`${kind.table}.created_at`)}, ${key.column}`
  // The inner query has the name of the table, because the columns of a record are columns of the table.
  return sql`select counted.total, counted.in_page, ${form.record(p)}
    from (select ${total} as total, (select count(*) from page) as in_page) as counted
    left join (select * from (select ${table}.*, sum(${size}) over (order by ${age} rows unbounded preceding) as bytes_so_far
      from ${from} where ${where}) as measured
      where bytes_so_far < ${engine.wholeNumber(sql`${p('max_bytes')}`)}) as ${table} on true
    order by ${age}`
}

/**
 * Returns a query for a page by age, or for its first row alone if the page does not have fewer bytes than the maximum. It skips
 * entries of the index up to the first row of the page, and then reads the rows in the order of the index twice: to measure them,
 * and to return them. This is faster than to look up each row by its key and to sort them.
 */
function smallPageInOrder(kind: ListedKind, { form, engine, total, size, p }: SmallPage): Sql {
  const id = sql.ref(kind.id)
  const key = [sql`created_at`, id]
  const order = sql`created_at, ${id}`
  const rows = sql`from ${sql.table(kind.table)} where ${kind.rows.every(p)}`
  // A subquery, because PostgreSQL would plan the statement again for each limit that it knows.
  const limit = sql`(select ${engine.wholeNumber(sql`${p('limit')}`)})`
  const offset = sql`${p('offset')}`
  const after = engine.isBeyond(key, '>', [sql`${p('after_created_at')}`, sql`${p('after_id')}`])
  const page = sql`${rows} and (${order}) >= ((select created_at from first_entry), (select id from first_entry)) order by ${order}`
  return sql`with counted ${engine.materialized} (select ${total} as total),
    first_entry ${engine.materialized} (select created_at, ${id} as id ${rows} and ${after}
      ${engine.pageBefore({ order, end: sql`(select total from counted)`, limit: sql`1`, offset })}),
    measured ${engine.materialized} (select count(*) as in_page, coalesce(sum(bytes), 0) as bytes from (select ${size} as bytes ${page} limit ${limit}) as sized)
    select (select total from counted) as total, (select in_page from measured) as in_page, ${form.record(p)} ${page}
    limit case when (select bytes from measured) < ${engine.wholeNumber(sql`${p('max_bytes')}`)} then ${limit} else 1 end`
}
