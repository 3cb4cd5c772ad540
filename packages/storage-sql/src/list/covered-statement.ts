import { sql } from 'kysely'
import { compileSql, type Database, type Parameter, type Statement } from '../database.ts'
import { candidateTable, fromCandidates, rowScope } from './candidate-rows.ts'
import { compileFilter } from './filter.ts'
import type { ListedKind } from './listed-kind.ts'
import { inexactRows, narrowCondition } from './narrow-index.ts'
import { entryColumns, type PageForm, pageOf, recordsOfPage } from './page-of-records.ts'
import type { CoveredPlan } from './plan.ts'

/**
 * Evaluates the filter on an index that has every value the filter needs, twice: once to count, and once for the page. If the
 * index may have several entries for a row, it evaluates the filter once and stores the rows.
 */
export function coveredStatement(
  { query, engine }: Pick<Database, 'query' | 'engine'>,
  kind: ListedKind,
  { match, filter, sort, entries, form }: CoveredPlan & { readonly form: PageForm },
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
      const others = sql`select ${entryColumns(kind)} ${fromCandidates(kind, engine, p)}
        and ${compileFilter(filter, rowScope(kind, engine, p))}`
      const union = sql.raw(entries === 'several' ? 'union' : 'union all')
      const found = hasOthers ? sql`${inIndex} ${union} select id, created_at from other` : inIndex
      const matching = entries === 'several' ? sql`select id, created_at from matching` : found
      return sql`with ${hasOthers ? sql`${candidateTable(inexactRows(index, p), engine, p)} other (id, created_at) ${engine.materialized} (${others}),` : sql``}
        ${entries === 'several' ? sql`matching (id, created_at) ${engine.materialized} (${found}),` : sql``}
        ${pageOf(matching, { sorted, form, engine, p })}
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
