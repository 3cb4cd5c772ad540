import { sql } from 'kysely'
import type { Parameter } from '../database.ts'
import type { SqlEngine } from '../dialect.ts'
import type { Sql } from '../json-search.ts'
import { keyOf, type ListedKind, listedScope } from './listed-kind.ts'

/** The parameter that limits how many candidates are read: one more than a list may read. */
export const candidateLimit = 'candidate_limit'

/** The table of the rows that indexes find, for a `WITH` clause. */
export const candidateTable = (
  query: Sql,
  { materialized, wholeNumber }: SqlEngine,
  p: Parameter<string>,
): Sql => sql`candidate ${materialized} (
    select id from (${query}) as found limit ${wholeNumber(sql`${p(candidateLimit)}`)}
  ),`

/** The rows of a kind that are candidates: the end of a query, to which a condition may be added. */
export function fromCandidates(kind: ListedKind, engine: SqlEngine, p: Parameter<string>): Sql {
  const ids = sql`select id from candidate`
  const { from, where } = engine.rowsFound({ from: kind.from, key: keyOf(kind, p), ids, areDistinct: false })
  return sql`from ${from} where ${kind.rows.one(p)} and ${where}`
}

/** Where filters on the rows of a kind find attributes. */
export const rowScope = (kind: ListedKind, engine: SqlEngine, parameter: Parameter<string>) => ({
  search: engine.search,
  scope: listedScope(kind, engine),
  parameter,
})
