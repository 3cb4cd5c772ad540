import { sql } from 'kysely'
import { compileSql, type Database, type Parameter, type Statement } from '../database.ts'
import type { SqlEngine } from '../dialect.ts'
import type { Sql } from '../json-search.ts'
import type { ListedKind } from './listed-kind.ts'
import { narrowCondition, type NarrowIndex, type NarrowMatch } from './narrow-index.ts'
import { directions, entryColumns, isInRest, type PageForm, rangeOf, recordsOfPage } from './page-of-records.ts'
import type { IntersectedPlan } from './plan.ts'

/**
 * Evaluates each part of a filter in an index, and reads the page in the order of an index. Of the rows themselves it
 * reads only those of the page.
 */
export function intersectedStatement(
  { query, engine }: Pick<Database, 'query' | 'engine'>,
  kind: ListedKind,
  { matches, order, sort, form }: IntersectedPlan & { readonly form: PageForm },
): Statement<string> {
  return compileSql(
    query,
    (p: Parameter<string>) => {
      const meets = (of: NarrowIndex): Sql =>
        sql.join([of.scope(p), ...matches.map((match) => isFoundBy(match, of, { engine, parameter: p }))], sql` and `)
      const { values } = order.order
      const sorted = sort && { sort, order: order.order }
      const columns = {
        values,
        createdAt: sql.ref(`${order.table}.created_at`),
        id: sql.ref(`${order.table}.${order.id}`),
      }
      const key = [...values, columns.createdAt, columns.id]
      const direction = directions[sort?.direction ?? 'ascending']
      return sql`with page ${engine.materialized} (
          select ${sql.join([entryColumns(order), ...values.map((value, place) => sql`${value} as ${sql.ref(`sort_${place}`)}`)])}
          from ${sql.table(order.table)} where ${meets(order)}
          and ${isInRest({ sorted, form, engine, p }, columns)}
          order by ${sql.join(key.map((column) => sql`${column} ${direction}`))}
          ${rangeOf(engine, p)}
        )
        ${recordsOfPage(kind, {
          form,
          engine,
          total: sql`(select count(*) from ${sql.table(order.table)} where ${meets(order)})`,
          sorted,
          p,
        })}`
    },
    'passing',
  )
}

/** The condition that an entry of an index belongs to a row that a match finds. */
const isFoundBy = (
  match: NarrowMatch,
  { table, id, columns: shown }: NarrowIndex,
  given: { readonly engine: SqlEngine; readonly parameter: Parameter<string> },
): Sql => {
  const condition = narrowCondition(match, given)
  const { index } = match
  // The columns belong to one table.
  if (index.columns === shown) return condition
  const ids = sql`select ${sql.ref(`${index.table}.${index.id}`)} from ${sql.table(index.table)} where ${condition}`
  return sql`${sql.ref(`${table}.${id}`)} in (${ids})`
}
