import { type Expression, type RawBuilder, sql } from 'kysely'
import type { SqlEachValue, SqlEngine, SqlFoundRows, SqlPage, SqlPairs, SqlValue } from './dialect.ts'

/** The forms that SQLite and PostgreSQL share. */
export const standardForms = {
  countUpTo: (from: Expression<unknown>, limit: Expression<unknown>) =>
    sql<SqlValue>`(select count(*) from (select 1 from ${from} limit ${limit}) as found)`,
  materialized: sql`as materialized`,
  wholeNumber: (parameter: Expression<unknown>) => sql`cast(${parameter} as bigint)`,
  // The offset is a subquery, because PostgreSQL would plan the statement again for each offset that it knows.
  pageBefore: ({ order, end, limit, offset }: SqlPage) => sql`order by ${order}
      limit case when cast(${offset} as bigint) < ${end} then cast(${limit} as bigint) else 0 end
      offset (select cast(${offset} as bigint))`,
  nullsLast: (value: Expression<unknown>, direction: 'asc' | 'desc') =>
    direction === 'asc' ? sql`${value} asc nulls last` : sql`${value} desc nulls first`,
  joinsPages: false,
  throughIndex: (table: string, _index: string, alias = table) => sql`${sql.table(table)} as ${sql.ref(alias)}`,
  // One row for each value: each step finds the next value in the index.
  eachValue: ({ name, column, from, where }: SqlEachValue) => {
    const [next, value] = [sql.ref(`next.${column}`), sql.ref(`${name}.${column}`)]
    const first = (condition: RawBuilder<unknown>) =>
      sql`select ${next} from ${from('next')} where ${where('next')} and ${condition} order by ${next} limit 1`
    return sql`select * from (${first(sql`${next} is not null`)}) as found
    union all
    select (${first(sql`${next} > ${value}`)}) from ${sql.table(name)} where ${value} is not null`
  },
  isSame: (one: Expression<unknown>, other: Expression<unknown>) => sql<boolean>`${one} is not distinct from ${other}`,
  // As one row value, so that the database begins at this place of the index.
  isBeyond: (columns: readonly Expression<unknown>[], direction: '>' | '<', values: readonly Expression<unknown>[]) =>
    sql<boolean>`(${sql.join(columns)}) ${sql.raw(direction)} (${sql.join(values)})`,
} as const

/** The statements for rows that have a value of a query, in SQLite and PostgreSQL. */
export const statementsAmong = ({
  among,
  keyAmong,
}: Pick<SqlEngine, 'among' | 'keyAmong'>): Pick<
  SqlEngine,
  'among' | 'keyAmong' | 'deleteAmong' | 'changeAmong' | 'rowsFound'
> => ({
  among,
  keyAmong,
  rowsFound: ({ from, key, ids }) => ({ from: sql`${from}`, where: keyAmong(key, ids) }),
  deleteAmong: ({ table, where, column, values }) =>
    sql`delete from ${sql.table(table)} where ${where} and ${among(column, values)}`,
  changeAmong: ({ table, set, key, values }) =>
    sql`update ${sql.table(table)} set ${set} where ${keyAmong(key, values)}`,
})

/** The change in SQLite and PostgreSQL. */
export const changeFoundRows = ({
  table,
  set,
  issuer,
  column,
  query,
}: SqlFoundRows & { readonly set: string }): string =>
  `UPDATE ${table} SET ${set} WHERE issuer = ${issuer} AND ${column} IN (${query})`

/** A query of pairs in SQLite and PostgreSQL. */
export const selectPairs = ({ table, where, first, second, limit }: SqlPairs): RawBuilder<unknown> => {
  const end = limit === undefined ? sql`` : sql`order by ${first('membership')} limit ${limit}`
  return sql`select ${first('membership')} as first, ${second('membership')} as second
    from ${sql.table(table)} as membership where ${where('membership')} ${end}`
}
