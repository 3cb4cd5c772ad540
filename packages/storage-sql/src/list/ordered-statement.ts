import { sql } from 'kysely'
import { compileSql, type Database, type Parameter, type Statement } from '../database.ts'
import type { ListedKind } from './listed-kind.ts'
import {
  directions,
  entryColumns,
  isInRest,
  type PageForm,
  rangeOf,
  recordsOfPage,
  type SortedBy,
} from './page-of-records.ts'
import type { OrderedPlan } from './plan.ts'

/** Reads a page of all rows in the order of an index. */
export function orderedStatement(
  { query, engine }: Pick<Database, 'query' | 'engine'>,
  kind: ListedKind,
  { sort, index, form }: OrderedPlan & { readonly form: PageForm },
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
      return sql`with page ${engine.materialized} (
          select ${sql.join([entryColumns(index), ...values])}
          from ${sql.table(index.table)} where ${index.scope(p)} and ${isInRest({ sorted, form, engine, p }, columns)}
          order by ${order} ${rangeOf(engine, p)}
        )
        ${recordsOfPage(kind, { form, engine, total: kind.rows.total(p), sorted, p })}`
    },
    'passing',
  )
}
