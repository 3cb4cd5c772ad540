// One file: the statements of a list share the shape of a page and of the candidates.

import type { SortKey } from '@mintmark/storage-interface/stores'
import { sql } from 'kysely'
import { compileSql, type Database, type Parameter, type Statement } from '../database.ts'
import type { SqlEngine } from '../dialect.ts'
import { type ListOrder, orderByColumn, type Sql } from '../json-search.ts'
import { type FilterTemplate, compileFilter } from './filter.ts'
import { keyOf, type ListedKind, listedScope, placeOf } from './listed-kind.ts'
import {
  entryColumns,
  type PageForm,
  pageOf,
  recordsOfPage,
  isInRest,
  type SortedBy,
  sortNames,
  directions,
} from './page-of-records.ts'
import { entriesOf, type ReadEntries } from './read-entries.ts'
import { type CandidateQuery, candidatesOf, matchesInIndexes, unionOf } from './candidates.ts'
import { intersectedStatement } from './intersected-statement.ts'
import {
  coveringIndex,
  inexactRows,
  narrowCondition,
  type NarrowIndex,
  type NarrowMatch,
  severalMatch,
} from './narrow-index.ts'

type Builder = Pick<Database, 'query' | 'engine'>

/** Reads the number of all rows. */
export const totalStatement = ({ query }: Builder, { rows }: ListedKind): Statement<string> =>
  compileSql(query, (p: Parameter<string>) => sql`select ${rows.total(p)} as total`)

/** Sums the work of reading all rows: one unit for each row, and more for a large row. */
export const sizeStatement = ({ query }: Builder, kind: ListedKind): Statement<string> =>
  compileSql(
    query,
    (p: Parameter<string>) =>
      sql`select cast(coalesce(sum(${unitsOfRow(kind)}), 0) as bigint) as units from ${sql.table(kind.table)} where ${kind.rows.every(p)}`,
    'passing',
  )

/** Returns the work of reading a row: one unit, and more if the row is large. */
const unitsOfRow = ({ size }: ListedKind): Sql => sql`1 + ${size} / 2048`

/** Finds a row if one of the indexes has a row without the complete value of the attribute. */
export const inexactStatement = ({ query }: Builder, indexes: readonly NarrowIndex[]): Statement<string> =>
  compileSql(
    query,
    (p: Parameter<string>) =>
      sql`select 1 as found where exists (${unionOf(indexes.map((index) => inexactRows(index, p)))})`,
    'passing',
  )

/** A statement for filters and sort orders of one shape. */
export interface MatchStatement {
  readonly statement: Statement<string>
  /**
   * What the statement reads. `index`: entries of indexes and the rows that they find. `everything`: all rows. `order`: an
   * index from its start to the end of the page.
   */
  readonly reads: 'index' | 'everything' | 'order'
  readonly entries: ReadEntries
  /** The statement may be used only if every row of these indexes has the complete value. */
  readonly mustBeExact: readonly NarrowIndex[]
  /** Sums the work of reading the candidate rows. */
  readonly units: Statement<string> | undefined
  /** Another statement to try if this one reads too much. */
  readonly alternative?: MatchStatement | undefined
}

/** The parameter that limits how many candidates are read: one more than a list may read. */
export const candidateLimit = 'candidate_limit'

interface Matching {
  readonly filter: FilterTemplate | undefined
  readonly sort: SortKey | undefined
}

/** Returns a statement for a sorted page of the rows that match a filter, with the number of all matches. */
export function matchStatement(
  builder: Builder,
  kind: ListedKind,
  { filter, sort, form }: Matching & { readonly form: PageForm },
): MatchStatement {
  const ordering = sort && kind.narrow?.byOrder(sort)
  if (filter === undefined && sort !== undefined && ordering !== undefined) {
    const statement = orderedStatement(builder, kind, { sort, index: ordering, form })
    const entries = entriesOf(builder, [])
    return { statement, reads: 'order', entries, mustBeExact: maybeInexact(ordering), units: undefined }
  }
  const candidates = filter && candidatesOf(filter, kind, builder.engine)
  const isLookup = candidates?.matches.length === 0
  const index = filter && !isLookup ? kind.narrow && coveringIndex(filter, kind.narrow) : undefined
  const match = filter && index && { index, filter }
  if (match !== undefined && (sort === undefined || ordering === match.index)) {
    return {
      statement: coveredStatement(builder, kind, { match, filter: match.filter, sort, form, entries: 'single' }),
      reads: 'index',
      entries: entriesOf(builder, [match]),
      mustBeExact: sort === undefined ? [] : maybeInexact(match.index),
      units: undefined,
    }
  }
  return {
    statement: scanStatement(builder, kind, { filter, sort, form, candidates: candidates?.query }),
    reads: candidates === undefined ? 'everything' : 'index',
    entries: entriesOf(builder, candidates?.matches ?? []),
    mustBeExact: [],
    units: candidates && unitsOfCandidates(builder, kind, candidates.query),
    alternative:
      filter &&
      (intersectedMatch(builder, kind, { filter, sort, form }) ??
        matchOfSeveral(builder, kind, { filter, sort, form })),
  }
}

/** Returns a statement like `matchStatement`, but without narrow indexes. */
export function rowsStatement(
  builder: Builder,
  kind: ListedKind,
  { filter, sort, form }: Matching & { readonly form: PageForm },
): MatchStatement {
  return matchStatement(builder, { ...kind, narrow: undefined }, { filter, sort, form })
}

const maybeInexact = (...indexes: readonly NarrowIndex[]): readonly NarrowIndex[] =>
  indexes.filter(({ exact }) => exact !== 'all')

/**
 * Evaluates each part of a filter in one index, without the rows, and reads the page in the order of an index. Returns
 * `undefined` if the indexes do not cover the whole filter.
 */
function intersectedMatch(
  builder: Builder,
  kind: ListedKind,
  { filter, sort, form }: { readonly filter: FilterTemplate } & Pick<Matching, 'sort'> & { readonly form: PageForm },
): MatchStatement | undefined {
  const found = kind.narrow && matchesInIndexes(filter, kind.narrow)
  if (kind.narrow === undefined || found === undefined) return undefined
  const matches = [...found.covered, ...found.memberships]
  const byAge = found.covered[0]?.index ?? kind.narrow.byAge
  const order = sort === undefined ? byAge : kind.narrow.byOrder(sort)
  if (order === undefined || matches.length === 0) return undefined
  return {
    statement: intersectedStatement(builder, kind, {
      matches,
      order:
        sort === undefined || order.order.values.length === 0 ? { ...byAge, order: kind.narrow.byAge.order } : order,
      sort,
      form,
    }),
    reads: 'index',
    // Each of these indexes has at most one entry for each row.
    entries: { ofEveryRow: true, areRanges: false, count: undefined },
    mustBeExact: maybeInexact(order, ...matches.map(({ index }) => index)),
    units: undefined,
  }
}

/**
 * Evaluates a filter on the values of a list in the index of these values. Returns `undefined` if the index does not have all
 * of the values.
 */
function matchOfSeveral(
  builder: Builder,
  kind: ListedKind,
  { filter, sort, form }: { readonly filter: FilterTemplate } & Pick<Matching, 'sort'> & { readonly form: PageForm },
): MatchStatement | undefined {
  const match = sort === undefined ? kind.narrow && severalMatch(filter, kind.narrow) : undefined
  if (match === undefined) return undefined
  return {
    statement: coveredStatement(builder, kind, { match, filter, sort, form, entries: 'several' }),
    reads: 'index',
    entries: entriesOf(builder, [{ ...match, index: { ...match.index, exact: 'several' } }]),
    mustBeExact: [],
    units: undefined,
  }
}

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
  const sorted = sort && { sort, order: sortOrder(kind, sort, engine.search) }
  const values = sorted?.order.values ?? []
  const id = sql.ref(`${kind.table}.${kind.id}`)
  const createdAt = sql.ref(`${kind.table}.created_at`)
  return compileSql(
    query,
    (p: Parameter<string>) => sql`with ${candidates === undefined ? sql`` : candidateTable(candidates(p), p)}
        matching (${sql.join([sql.ref('id'), sql.ref('created_at'), ...sortNames(values)])}) as materialized (
          select ${sql.join([id, createdAt, ...values])} from ${kind.from}
          where ${candidates === undefined ? kind.rows.every(p) : sql`${kind.rows.one(p)} and ${engine.keyAmong(keyOf(kind, p), sql`select id from candidate`)}`}
          ${filter === undefined ? sql`` : sql`and ${compileFilter(filter, rowScope(kind, engine, p))}`}
        ), ${pageOf(sql`select * from matching`, { sorted, form, search: engine.search, p })}
        ${recordsOfPage(kind, {
          form,
          engine,
          total: sql`(select count(*) from matching)`,
          candidateCount: candidates && sql`(select count(*) from candidate)`,
          sorted,
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
    (p: Parameter<string>) => sql`with ${candidateTable(candidates(p), p)}
      summed as (select sum(${unitsOfRow(kind)}) as units from ${sql.table(kind.table)}
        where ${kind.rows.one(p)} and ${engine.keyAmong(keyOf(kind, p), sql`select id from candidate`)})
      select cast(coalesce(units, 0) as bigint) as units from summed`,
    'passing',
  )

/**
 * Evaluates the filter on an index that has every value the filter needs, twice: once to count, and once for the page. If the
 * index may have several entries for a row, it evaluates the filter once and stores the rows.
 * @param filter the filter for rows without the complete value.
 */
function coveredStatement(
  { query, engine }: Builder,
  kind: ListedKind,
  {
    match,
    filter,
    sort,
    form,
    entries,
  }: Pick<Matching, 'sort'> & {
    readonly match: NarrowMatch
    readonly filter: FilterTemplate
    readonly form: PageForm
    readonly entries: 'single' | 'several'
  },
): Statement<string> {
  const { index } = match
  const sorted = sort && { sort, order: index.order }
  const values = sorted?.order.values ?? []
  return compileSql(
    query,
    (p: Parameter<string>) => {
      const isExact = typeof index.exact === 'string' ? sql`true` : index.exact
      const inIndex = sql`select ${sql.join([entryColumns(index), ...values.map((value, place) => sql`${value} as ${sql.ref(`sort_${place}`)}`)])}
        from ${sql.table(index.table)} where ${isExact} and ${narrowCondition(match, { engine, parameter: p })}`
      // A list in the order of this index is not made with this statement if the index has inexact rows (`mustBeExact`).
      const hasOthers = typeof index.exact !== 'string' && sort === undefined
      const others = sql`select ${entryColumns(kind)} from ${kind.from}
        where ${kind.rows.one(p)} and ${engine.keyAmong(keyOf(kind, p), sql`select id from candidate`)}
        and ${compileFilter(filter, rowScope(kind, engine, p))}`
      const union = sql.raw(entries === 'several' ? 'union' : 'union all')
      const found = hasOthers ? sql`${inIndex} ${union} select id, created_at from other` : inIndex
      const matching = entries === 'several' ? sql`select id, created_at from matching` : found
      return sql`with ${hasOthers ? sql`${candidateTable(inexactRows(index, p), p)} other (id, created_at) as materialized (${others}),` : sql``}
        ${entries === 'several' ? sql`matching (id, created_at) as materialized (${found}),` : sql``}
        ${pageOf(matching, { sorted, form, search: engine.search, p })}
        ${recordsOfPage(kind, {
          form,
          engine,
          total: sql`(select count(*) from (${matching}) as found)`,
          candidateCount: hasOthers ? sql`(select count(*) from candidate)` : undefined,
          sorted,
          p,
        })}`
    },
    'passing',
  )
}

/** Reads a page of all rows in the order of an index. */
function orderedStatement(
  { query, engine }: Builder,
  kind: ListedKind,
  { sort, index, form }: { readonly sort: SortKey; readonly index: NarrowIndex; readonly form: PageForm },
): Statement<string> {
  const sorted: SortedBy = { sort, order: index.order }
  return compileSql(
    query,
    (p: Parameter<string>) => {
      const table = sql.ref(index.table)
      // Uses the same expressions as the key, so that the database reads the index in its order.
      const id = sql.ref(`${index.table}.${index.id}`)
      const columns = { values: index.order.values, createdAt: sql`${table}.created_at`, id: sql`${id}` }
      const key = [...columns.values, columns.createdAt, columns.id]
      const order = sql.join(key.map((column) => sql`${column} ${directions[sort.direction]}`))
      const values = index.order.values.map((value, place) => sql`${value} as ${sql.ref(`sort_${place}`)}`)
      return sql`with page as materialized (
          select ${sql.join([entryColumns(index), ...values])}
          from ${sql.table(index.table)} where ${index.scope(p)} and ${isInRest({ sorted, form, search: engine.search, p }, columns)}
          order by ${order} limit cast(${p('limit')} as bigint) offset cast(${p('offset')} as bigint)
        )
        ${recordsOfPage(kind, { form, engine, total: kind.rows.total(p), sorted, p })}`
    },
    'passing',
  )
}

const rowScope = (kind: ListedKind, { search }: SqlEngine, parameter: Parameter<string>) => ({
  search,
  scope: listedScope(kind, search),
  parameter,
})

const candidateTable = (query: Sql, p: Parameter<string>): Sql => sql`candidate as materialized (
    select id from (${query}) as found limit cast(${p(candidateLimit)} as bigint)
  ),`

function sortOrder(
  kind: ListedKind,
  { attribute, elementPart }: SortKey,
  search: Database['engine']['search'],
): ListOrder {
  const place = placeOf(kind, attribute)
  if (place.kind === 'nowhere') return { values: [], key: () => sql`null`, after: () => [], mayBeAbsent: false }
  if (place.kind === 'document') return search.sortOrder(kind.document, place.path, elementPart)
  return orderByColumn(place.column, place.kind, true)
}
