import { type Candidates, comparisonsOf, findCandidates, type SortKey } from '@mintmark/storage-interface/stores'
import { sql } from 'kysely'
import { type Database, compileSql, type Parameter, type Statement } from '../database.ts'
import type { SqlEngine } from '../dialect.ts'
import type { Sql } from '../json-search.ts'
import { type FilterTemplate, compileFilter } from './filter.ts'
import { type IndexLookup, keyOf, type ListedKind, listedScope, type OwnerValue, placeOf } from './listed-kind.ts'

/** The parameters of a page. It holds one row more than it returns, which shows whether there is a next page. */
type PageValue = OwnerValue | 'after_created_at' | 'after_id' | 'limit' | 'offset'

type Builder = Pick<Database, 'query' | 'engine'>

/** The number of all rows. */
export const totalStatement = ({ query }: Builder, { rows }: ListedKind): Statement<string> =>
  compileSql(query, (p: Parameter<string>) => sql`select ${rows.total(p)} as total`)

/**
 * A page of all rows by age, each with the total; if the page is empty, no row or a row without a record. The total is
 * a row of its own and the page is a range of an index: skipped rows are skipped in the index, and a page past the end
 * reads nothing.
 */
export const pageStatement = ({ query, engine }: Builder, kind: ListedKind): Statement<string> =>
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
      if (engine.skipsInIndex) return page(sql`${total(p)} as total, ${kind.record}`)
      return sql`with page as materialized (${page(sql`created_at, ${id} as id`)}) ${recordsOfPage(kind, { engine, total: total(p), p })}`
    },
    'long',
  )

/** A statement for filters and orders of one shape. */
export interface MatchStatement {
  readonly statement: Statement<string>
  /** Whether it reads the rows that indexes find, or all. */
  readonly looksAt: 'candidates' | 'everything'
  /** Its work for each row, relative to an ordinary filter. */
  readonly weight: number
}

/** The parameter that limits how many candidates are read: one more than a list may read. */
export const candidateLimit = 'candidate_limit'

/** A sorted page of the rows that match a filter, with the number of all matches. */
export function matchStatement(
  { query, engine }: Builder,
  kind: ListedKind,
  { filter, sort }: { readonly filter: FilterTemplate | undefined; readonly sort: SortKey | undefined },
): MatchStatement {
  const candidates = filter && findCandidates(filter, kind.lookups)
  const sorted = sort === undefined ? [] : sortValues(kind, sort, engine.search)
  const names = sorted.map((_, index) => sql.ref(`sort_${index}`))
  const direction = sql.raw(sort?.direction === 'descending' ? 'desc nulls first' : 'asc nulls last')
  const orderOf = (prefix: Sql): Sql =>
    sql`${sql.join([...names.map((name) => sql`${prefix}${name} ${direction}`), sql`${prefix}created_at`, sql`${prefix}id`])}`
  const id = sql.ref(`${kind.table}.${kind.id}`)
  const createdAt = sql.ref(`${kind.table}.created_at`)

  const statement = compileSql(
    query,
    (parameter: Parameter<string>) => {
      const p: Parameter<PageValue> = parameter
      const scope = { search: engine.search, scope: listedScope(kind, engine.search), parameter }
      return sql`with ${candidates === undefined ? sql`` : candidatesAs(candidates, parameter)}
        matching (${sql.join([sql.ref('id'), sql.ref('created_at'), ...names])}) as materialized (
          select ${sql.join([id, createdAt, ...sorted])} from ${kind.from}
          where ${candidates === undefined ? kind.rows.every(p) : sql`${kind.rows.one(p)} and ${engine.keyAmong(keyOf(kind, p), sql`select id from candidate`)}`}
          ${filter === undefined ? sql`` : sql`and ${compileFilter(filter, scope)}`}
        ), page as materialized (
          select * from matching where (created_at, id) > (${p('after_created_at')}, ${p('after_id')})
          order by ${orderOf(sql``)} limit cast(${p('limit')} as bigint) offset cast(${p('offset')} as bigint)
        )
        ${recordsOfPage(kind, {
          engine,
          total: sql`(select count(*) from matching)`,
          lookedAt: candidates && sql`(select count(*) from candidate)`,
          order: sort && orderOf(sql`page.`),
          p,
        })}`
    },
    'passing',
  )
  const weight = filter === undefined ? 1 : Math.max(1, comparisonsOf(filter, work) / ordinaryComparisons)
  return { statement, looksAt: candidates === undefined ? 'everything' : 'candidates', weight }
}

/**
 * The rows that the page names, each with the total; one row without a record if the page is empty. Rows by age sort by
 * their own columns and are looked up one by one, because the planner does not know the size of the page.
 */
function recordsOfPage({ table, id, record }: ListedKind, { engine, total, lookedAt, order, p }: PageOfRecords): Sql {
  const key = keyOf({ table, id }, p)
  const { issuerColumn, issuer, column } = key
  const isInPage =
    order === undefined
      ? engine.keyAmong(key, sql`select id from page`)
      : sql`${issuerColumn} = ${issuer} and ${column} = page.id`
  return sql`select counted.total, counted.looked_at, ${record}
    from (select ${total} as total, ${lookedAt ?? sql`0`} as looked_at) as counted
    ${order === undefined ? sql`` : sql`left join page on true`}
    left join ${sql.table(table)} on ${isInPage}
    order by ${order ?? sql`${sql.ref(`${table}.created_at`)}, ${column}`}`
}

interface PageOfRecords {
  readonly engine: SqlEngine
  readonly total: Sql
  readonly lookedAt?: Sql | undefined
  /** The order of the page, if it is not by age. */
  readonly order?: Sql | undefined
  readonly p: Parameter<'issuer'>
}

function candidatesAs(candidates: Candidates<IndexLookup>, p: Parameter<string>): Sql {
  const queries = [...candidates].map(([{ find }, values]) => find(values, p))
  return sql`candidate as materialized (
    select id from (${sql.join(queries, sql` union all `)}) as found limit cast(${p(candidateLimit)} as bigint)
  ),`
}

function sortValues(
  kind: ListedKind,
  { attribute, elementPart }: SortKey,
  search: Database['engine']['search'],
): readonly Sql[] {
  const place = placeOf(kind, attribute)
  if (place.kind === 'nowhere') return []
  return place.kind === 'document' ? search.sortValues(kind.document, place.path, elementPart) : [place.column]
}

const ordinaryComparisons = 10

/** Unnesting a list is as much work as a few comparisons. */
const work = { list: 4, equalities: 'each' } as const
