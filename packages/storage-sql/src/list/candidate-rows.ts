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

/** The condition for the rows of a kind that are candidates. */
export const rowsAmongCandidates = (kind: ListedKind, engine: SqlEngine, p: Parameter<string>): Sql =>
  sql`${kind.rows.one(p)} and ${engine.keyAmong(keyOf(kind, p), sql`select id from candidate`)}`

/** Where filters on the rows of a kind find attributes. */
export const rowScope = (kind: ListedKind, { search }: SqlEngine, parameter: Parameter<string>) => ({
  search,
  scope: listedScope(kind, search),
  parameter,
})
