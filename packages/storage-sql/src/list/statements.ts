import type { SortKey } from '@mintmark/storage-interface/stores'
import { sql } from 'kysely'
import { compileSql, type Database, type Parameter, type Statement } from '../database.ts'
import type { SqlEngine } from '../dialect.ts'
import type { Sql } from '../json-search.ts'
import { type FilterTemplate, compileFilter } from './filter.ts'
import { keyOf, type ListedKind, listedScope, type OwnerValue, placeOf } from './listed-kind.ts'
import { type CandidateQuery, candidatesOf, unionOf } from './candidates.ts'
import {
  coveringIndex,
  entriesCondition,
  inexactRows,
  isBounded,
  narrowCondition,
  type NarrowIndex,
  type NarrowMatch,
} from './narrow-index.ts'

/** The parameters of a page. It holds one row more than it returns, which shows whether there is a next page. */
type PageValue = OwnerValue | 'after_created_at' | 'after_id' | 'limit' | 'offset' | 'max_bytes'

type Builder = Pick<Database, 'query' | 'engine'>

/** What a page shows, and whether its bytes are counted. */
export interface PageForm {
  readonly record: Sql
  /** The bytes of a record; `undefined` if they are not counted. */
  readonly size: Sql | undefined
}

/** The number of all rows. */
export const totalStatement = ({ query }: Builder, { rows }: ListedKind): Statement<string> =>
  compileSql(query, (p: Parameter<string>) => sql`select ${rows.total(p)} as total`)

/** The work of reading all rows: one for each, and more for large ones. */
export const sizeStatement = ({ query }: Builder, kind: ListedKind): Statement<string> =>
  compileSql(
    query,
    (p: Parameter<string>) =>
      sql`select cast(coalesce(sum(${units(kind)}), 0) as bigint) as units from ${sql.table(kind.table)} where ${kind.rows.every(p)}`,
    'passing',
  )

/** The work of reading a row: one, and more if it is large. */
const units = ({ size }: ListedKind): Sql => sql`1 + ${size} / 2048`

/** Whether an index has rows that do not say all about the attribute. */
export const inexactStatement = ({ query }: Builder, index: NarrowIndex): Statement<string> =>
  compileSql(query, (p: Parameter<string>) => sql`select 1 as found where exists (${inexactRows(index, p)})`, 'passing')

/**
 * A page of all rows by age, each with the total; if the page is empty, no row or a row without a record. The total is
 * a row of its own and the page is a range of an index: skipped rows are skipped in the index, and a page past the end
 * reads nothing.
 */
export const pageStatement = ({ query, engine }: Builder, kind: ListedKind, form: PageForm): Statement<string> =>
  compileSql(
    query,
    (parameter: Parameter<string>) => {
      const p: Parameter<PageValue> = parameter
      const { every, total } = kind.rows
      const id = sql.ref(kind.id)
      const page = (columns: Sql): Sql => sql`select ${columns} from ${sql.table(kind.table)}
      where ${every(p)} and (created_at, ${id}) > (${p('after_created_at')}, ${p('after_id')})
      order by created_at, ${id}
      limit case when cast(${p('offset')} as bigint) < ${total(p)} then cast(${p('limit')} as bigint) else 0 end
      offset cast(${p('offset')} as bigint)`
      if (engine.skipsInIndex && form.size === undefined) return page(sql`${total(p)} as total, ${form.record}`)
      return sql`with page as materialized (${page(sql`created_at, ${id} as id`)})
      ${recordsOfPage(kind, { form, engine, total: total(p), p })}`
    },
    'long',
  )

/** A statement for filters and orders of one shape. */
export interface MatchStatement {
  readonly statement: Statement<string>
  /**
   * What it reads: entries of indexes, and the rows that they find, or all rows. An `order` reads no more of an index
   * than the page and what is before it.
   */
  readonly looksAt: 'index' | 'everything' | 'order'
  readonly entries: ReadEntries
  /** An index that must have no rows but exact ones. */
  readonly mustBeExact: NarrowIndex | undefined
  /** The work of the rows that the candidates name. */
  readonly units: Statement<string> | undefined
}

/** The entries of narrow indexes that a statement tests. */
interface ReadEntries {
  /** Whether it reads an index that has one entry for each row, as a whole. */
  readonly ofEveryRow: boolean
  /** Whether it reads only ranges of indexes: with few comparisons that is little work, however many entries they have. */
  readonly areRanges: boolean
  /** Counts the entries of ranges, and of indexes with several entries for a row, up to `entryLimit`. */
  readonly count: Statement<string> | undefined
}

/** The parameter that limits how many entries are counted. */
export const entryLimit = 'entry_limit'

/** The parameter that limits how many candidates are read: one more than a list may read. */
export const candidateLimit = 'candidate_limit'

interface Matching {
  readonly filter: FilterTemplate | undefined
  readonly sort: SortKey | undefined
}

/** A sorted page of the rows that match a filter, with the number of all matches. */
export function matchStatement(
  builder: Builder,
  kind: ListedKind,
  { filter, sort, form }: Matching & { readonly form: PageForm },
): MatchStatement {
  const ordering = sort && kind.narrow?.byOrder(sort)
  if (filter === undefined && sort !== undefined && ordering !== undefined) {
    const statement = orderedStatement(builder, kind, { sort, index: ordering, form })
    const entries = entriesOf(builder, [])
    return { statement, looksAt: 'order', entries, mustBeExact: exactOnly(ordering), units: undefined }
  }
  const candidates = filter && candidatesOf(filter, kind, builder.engine)
  const isLookup = candidates?.matches.length === 0
  const index = filter && !isLookup ? kind.narrow && coveringIndex(filter, kind.narrow) : undefined
  const match = filter && index && { index, filter }
  if (match !== undefined && (sort === undefined || ordering === match.index)) {
    return {
      statement: coveredStatement(builder, kind, { match, sort, form }),
      looksAt: 'index',
      entries: entriesOf(builder, [match]),
      mustBeExact: sort && exactOnly(match.index),
      units: undefined,
    }
  }
  return {
    statement: scanStatement(builder, kind, { filter, sort, form, candidates: candidates?.query }),
    looksAt: candidates === undefined ? 'everything' : 'index',
    entries: entriesOf(builder, candidates?.matches ?? []),
    mustBeExact: undefined,
    units: candidates && unitsOfCandidates(builder, kind, candidates.query),
  }
}

function entriesOf({ query }: Builder, matches: readonly NarrowMatch[]): ReadEntries {
  const counted = matches.filter((match) => isBounded(match) || match.index.exact === 'several')
  const count = compileSql(
    query,
    (p: Parameter<string>) =>
      sql`select count(*) as units from (select id from (${unionOf(
        counted.map(
          (match) =>
            sql`select ${sql.ref(match.index.id)} as id from ${sql.table(match.index.table)} where ${entriesCondition(match, p)}`,
        ),
      )}) as entry limit cast(${p(entryLimit)} as bigint)) as counted`,
    'passing',
  )
  return {
    ofEveryRow: counted.length < matches.length,
    areRanges: matches.every(isBounded),
    count: counted.length === 0 ? undefined : count,
  }
}

/** The same without a narrow index. */
export function rowsStatement(
  builder: Builder,
  kind: ListedKind,
  { filter, sort, form }: Matching & { readonly form: PageForm },
): MatchStatement {
  return matchStatement(builder, { ...kind, narrow: undefined }, { filter, sort, form })
}

const exactOnly = (index: NarrowIndex): NarrowIndex | undefined => (index.exact === 'all' ? undefined : index)

/** Evaluates the filter on rows. */
function scanStatement(
  { query, engine }: Builder,
  kind: ListedKind,
  {
    filter,
    sort,
    form,
    candidates,
  }: Matching & { readonly form: PageForm; readonly candidates: CandidateQuery | undefined },
): Statement<string> {
  const sorted = sort === undefined ? [] : sortValues(kind, sort, engine.search)
  const id = sql.ref(`${kind.table}.${kind.id}`)
  const createdAt = sql.ref(`${kind.table}.created_at`)
  const names = sortNames(sorted)
  return compileSql(
    query,
    (p: Parameter<string>) => sql`with ${candidates === undefined ? sql`` : candidatesAs(candidates(p), p)}
        matching (${sql.join([sql.ref('id'), sql.ref('created_at'), ...names])}) as materialized (
          select ${sql.join([id, createdAt, ...sorted])} from ${kind.from}
          where ${candidates === undefined ? kind.rows.every(p) : sql`${kind.rows.one(p)} and ${engine.keyAmong(keyOf(kind, p), sql`select id from candidate`)}`}
          ${filter === undefined ? sql`` : sql`and ${compileFilter(filter, rowScope(kind, engine, p))}`}
        ), ${pageOf(sql`select * from matching`, { names, sort, p })}
        ${recordsOfPage(kind, {
          form,
          engine,
          total: sql`(select count(*) from matching)`,
          lookedAt: candidates && sql`(select count(*) from candidate)`,
          order: sort && orderOf(names, sort, sql`page.`),
          p,
        })}`,
    'passing',
  )
}

const unitsOfCandidates = (
  { query, engine }: Builder,
  kind: ListedKind,
  candidates: CandidateQuery,
): Statement<string> =>
  compileSql(
    query,
    (p: Parameter<string>) => sql`with ${candidatesAs(candidates(p), p)}
      summed as (select sum(${units(kind)}) as units from ${sql.table(kind.table)}
        where ${kind.rows.one(p)} and ${engine.keyAmong(keyOf(kind, p), sql`select id from candidate`)})
      select cast(coalesce(units, 0) as bigint) as units from summed`,
    'passing',
  )

const columns = ({ table, id }: Pick<NarrowIndex, 'table' | 'id'>): Sql =>
  sql`${sql.ref(`${table}.${id}`)} as id, ${sql.ref(`${table}.created_at`)} as created_at`

/** Evaluates the filter on an index that has every value it needs, twice: once to count, and once for the page. */
function coveredStatement(
  { query, engine }: Builder,
  kind: ListedKind,
  { match, sort, form }: { readonly match: NarrowMatch; readonly sort: SortKey | undefined; readonly form: PageForm },
): Statement<string> {
  const { index, filter } = match
  const sorted = sort === undefined ? [] : index.order
  const names = sortNames(sorted)
  return compileSql(
    query,
    (p: Parameter<string>) => {
      const isExact = typeof index.exact === 'string' ? sql`true` : index.exact
      const inIndex = sql`select ${sql.join([columns(index), ...sorted.map((value, place) => sql`${value} as ${sql.ref(`sort_${place}`)}`)])}
        from ${sql.table(index.table)} where ${isExact} and ${narrowCondition(match, { engine, parameter: p })}`
      // Lists in the order of this index are refused if it has inexact rows.
      const hasOthers = typeof index.exact !== 'string' && sort === undefined
      const others = sql`select ${columns(kind)} from ${kind.from}
        where ${kind.rows.one(p)} and ${engine.keyAmong(keyOf(kind, p), sql`select id from candidate`)}
        and ${compileFilter(filter, rowScope(kind, engine, p))}`
      const matching = hasOthers ? sql`${inIndex} union all select id, created_at from other` : inIndex
      return sql`with ${hasOthers ? sql`${candidatesAs(inexactRows(index, p), p)} other (id, created_at) as materialized (${others}),` : sql``}
        ${pageOf(matching, { names, sort, p })}
        ${recordsOfPage(kind, {
          form,
          engine,
          total: sql`(select count(*) from (${matching}) as found)`,
          lookedAt: hasOthers ? sql`(select count(*) from candidate)` : undefined,
          order: sort && orderOf(names, sort, sql`page.`),
          p,
        })}`
    },
    'passing',
  )
}

/** A page of all rows in the order of an index. */
function orderedStatement(
  { query, engine }: Builder,
  kind: ListedKind,
  { sort, index, form }: { readonly sort: SortKey; readonly index: NarrowIndex; readonly form: PageForm },
): Statement<string> {
  const names = sortNames(index.order)
  return compileSql(
    query,
    (p: Parameter<string>) => {
      const table = sql.ref(index.table)
      // In the words of the key, so that the index is read in its order.
      const id = sql.ref(`${index.table}.${index.id}`)
      const key = [...index.order, sql`${table}.created_at`, sql`${id}`]
      const order = sql.join(key.map((column) => sql`${column} ${ways[sort.direction]}`))
      const values = index.order.map((value, place) => sql`${value} as ${sql.ref(`sort_${place}`)}`)
      return sql`with page as materialized (
          select ${sql.join([columns(index), ...values])}
          from ${sql.table(index.table)} where ${index.scope(p)}
          order by ${order} limit cast(${p('limit')} as bigint) offset cast(${p('offset')} as bigint)
        )
        ${recordsOfPage(kind, { form, engine, total: kind.rows.total(p), order: orderOf(names, sort, sql`page.`), p })}`
    },
    'passing',
  )
}

const rowScope = (kind: ListedKind, { search }: SqlEngine, parameter: Parameter<string>) => ({
  search,
  scope: listedScope(kind, search),
  parameter,
})

const sortNames = (values: readonly Sql[]): readonly Sql[] => values.map((_, place) => sql`${sql.ref(`sort_${place}`)}`)

/** Equal rows are by age, oldest first when ascending, so that an index can be read in either direction. */
const orderOf = (values: readonly Sql[], { direction }: SortKey, prefix: Sql): Sql =>
  sql.join([
    ...values.map((value) =>
      direction === 'descending' ? sql`${prefix}${value} desc nulls first` : sql`${prefix}${value} asc nulls last`,
    ),
    sql`${prefix}created_at ${ways[direction]}`,
    sql`${prefix}id ${ways[direction]}`,
  ])

const ways = { ascending: sql.raw('asc'), descending: sql.raw('desc') }

function pageOf(
  matching: Sql,
  {
    names,
    sort,
    p,
  }: { readonly names: readonly Sql[]; readonly sort: SortKey | undefined; readonly p: Parameter<PageValue> },
): Sql {
  const order = sort === undefined ? sql`created_at, id` : orderOf(names, sort, sql``)
  return sql`page as materialized (
    select * from (${matching}) as matched where (created_at, id) > (${p('after_created_at')}, ${p('after_id')})
    order by ${order} limit cast(${p('limit')} as bigint) offset cast(${p('offset')} as bigint)
  )`
}

/**
 * The rows that the page names, each with the total; one row without a record if the page is empty. Rows by age sort by
 * their own columns and are looked up one by one, because the planner does not know the size of the page.
 */
function recordsOfPage(kind: ListedKind, { form, engine, total, lookedAt, order, p }: PageOfRecords): Sql {
  const { table, id } = kind
  const key = keyOf({ table, id }, p)
  const { issuerColumn, issuer, column } = key
  const page = sql.ref(form.size !== undefined ? 'fitting' : 'page')
  const isInPage =
    order === undefined
      ? engine.keyAmong(key, sql`select id from ${page}`)
      : sql`${issuerColumn} = ${issuer} and ${column} = page.id`
  // RFC 7644 §3.4.2.4: a page may have fewer resources than requested. It has at least one.
  const fitting =
    form.size &&
    sql`, fitting as materialized (select * from (
      select page.*, sum(bytes) over (order by ${order ?? sql`page.created_at, page.id`} rows between unbounded preceding and current row) - bytes as bytes_before
      from (select page.*, (select ${form.size} from ${sql.table(table)} where ${issuerColumn} = ${issuer} and ${column} = page.id) as bytes from page) as page
    ) as summed where bytes_before < cast(${p('max_bytes')} as bigint))`
  return sql`${fitting ?? sql``} select counted.total, counted.looked_at, counted.in_page, ${form.record}
    from (select ${total} as total, ${lookedAt ?? sql`0`} as looked_at, (select count(*) from page) as in_page) as counted
    ${order === undefined ? sql`` : sql`left join ${page} as page on true`}
    left join ${sql.table(table)} on ${isInPage}
    order by ${order ?? sql`${sql.ref(`${table}.created_at`)}, ${column}`}`
}

interface PageOfRecords {
  readonly form: PageForm
  readonly engine: SqlEngine
  readonly total: Sql
  readonly lookedAt?: Sql | undefined
  /** The order of the page, if it is not by age. */
  readonly order?: Sql | undefined
  readonly p: Parameter<OwnerValue | 'max_bytes'>
}

const candidatesAs = (query: Sql, p: Parameter<string>): Sql => sql`candidate as materialized (
    select id from (${query}) as found limit cast(${p(candidateLimit)} as bigint)
  ),`

function sortValues(
  kind: ListedKind,
  { attribute, elementPart }: SortKey,
  search: Database['engine']['search'],
): readonly Sql[] {
  const place = placeOf(kind, attribute)
  if (place.kind === 'nowhere') return []
  return place.kind === 'document' ? search.sortValues(kind.document, place.path, elementPart) : [place.column]
}
