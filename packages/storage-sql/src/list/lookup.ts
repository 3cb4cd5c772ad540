import { sql } from 'kysely'
import { keyName } from '../filter/filter-template.ts'
import type { IndexLookup } from '../filter/index-lookups.ts'
import type { Sql } from '../json-search.ts'
import type { Parameter } from '../statement.ts'
import type { ListedRows } from './listed-kind.ts'

/** A column of a table with an index that begins with issuer, provider and that column. */
interface IndexedColumn {
  readonly table: string
  /** The column of the identifiers to be found. */
  readonly id: string
  readonly by: string
  /** How many rows a value may be expected to find. */
  readonly rows: number
}

type LookedUpRow = Pick<IndexedColumn, 'table' | 'id'> & { readonly row: ListedRows['one'] }

/** Finds rows by their own identifier, which is the key of the table. */
export const lookupById = ({ table, id, row }: LookedUpRow): IndexLookup => ({
  rows: 1,
  find: (values, p) => sql`select ${sql.ref(id)} as id from ${sql.table(table)}
    where issuer = ${p('issuer')} and ${row(p)} and ${sql.ref(id)} in (${sql.join(values.map((value) => sql`${p(value)}`))})`,
})

/** Finds one side of memberships by the other. Those of another provider find nothing that the list could show. */
export const lookupMembership = ({ id, by, rows }: Omit<IndexedColumn, 'table'>): IndexLookup => ({
  rows,
  find: (values, p) => sql`select ${sql.ref(id)} as id from mintmark_group_members
    where issuer = ${p('issuer')} and ${sql.ref(by)} in (${sql.join(values.map((value) => sql`${p(value)}`))})`,
})

/** Finds rows by the key of a text. */
export const lookupByKey = (column: IndexedColumn): IndexLookup =>
  lookupOf(column, (value, parameter) => sql`${parameter(keyName(value))}`)

/** Finds rows by as much of a text as `emailValues` keeps. */
export const lookupByBeginning = (column: IndexedColumn): IndexLookup =>
  lookupOf(column, (value, parameter) => sql`substr(${parameter(value)}, 1, 200)`)

const lookupOf = (
  { table, id, by, rows }: IndexedColumn,
  indexed: (value: string, parameter: Parameter<string>) => Sql,
): IndexLookup => ({
  rows,
  find: (values, p) => sql`select ${sql.ref(id)} as id from ${sql.table(table)}
    where issuer = ${p('issuer')} and provider_id = ${p('provider_id')}
    and ${sql.ref(by)} in (${sql.join(values.map((value) => indexed(value, p)))})`,
})
