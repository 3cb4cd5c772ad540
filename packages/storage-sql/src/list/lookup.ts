import type { ListQuery } from '@mintmark/storage-interface/stores'
import { sql } from 'kysely'
import type { Sql } from '../json-search.ts'
import { belongsToProvider } from '../row.ts'
import { type FilterValues, keyName } from './filter.ts'
import type { IndexLookup, ListedRows } from './listed-kind.ts'
import type { Parameter } from '../database.ts'

/** An indexed column. */
interface IndexedColumn {
  readonly table: string
  /** The column of the identifiers to find. */
  readonly id: string
  readonly by: string
  /** How many rows a value is expected to find. */
  readonly rows: number
  /** A condition in addition to the issuer. It may let other rows through: the evaluation of the filter drops them. */
  readonly row: ListedRows['one']
  /** The form of the string in the index; by default the string itself. */
  readonly indexed?: Indexed
}

type Indexed = (value: string, parameter: Parameter<string>) => Sql

/** Returns a lookup that finds identifiers by strings through an index. */
export function createLookup({ table, id, by, rows, row, indexed = unchanged }: IndexedColumn): IndexLookup {
  const condition: IndexLookup['condition'] = (values, p) =>
    sql`issuer = ${p('issuer')} and ${row(p)} and ${sql.ref(by)} in (${sql.join(values.map((value) => indexed(value, p)))})`
  return {
    table,
    by,
    rows,
    condition,
    find: (values, p) => sql`select ${sql.ref(id)} as id from ${sql.table(table)} where ${condition(values, p)}`,
  }
}

/** Rows of the provider, in an index that begins with issuer and provider. */
export const inProvider: ListedRows['one'] = (p) => sql`provider_id = ${p('provider_id')}`

/** Rows of any provider. The list keeps only rows of its own provider. */
export const anyRow: ListedRows['one'] = () => sql`true`

/** Returns the index key of a string. */
export const byKey: Indexed = (value, parameter) => sql`${parameter(keyName(value))}`

/** Returns the beginning of a string, as `mintmark_user_values` has it. */
export const byBeginning: Indexed = (value, parameter) => sql`substr(${parameter(value)}, 1, 200)`

const unchanged: Indexed = (value, parameter) => sql`${parameter(value)}`

/** The rows of a provider. @param kind the kind in the table of totals. */
export const providerRows = (kind: 'User' | 'Group'): ListedRows => ({
  every: (p) => sql`issuer = ${p('issuer')} and provider_id = ${p('provider_id')}`,
  one: belongsToProvider,
  total: (p) => sql`coalesce((select total from mintmark_provider_totals
    where issuer = ${p('issuer')} and provider_id = ${p('provider_id')} and kind = ${sql.lit(kind)}), 0)`,
})

/** Returns the parameters of the conditions. */
export const providerParameters = ({ providerId }: ListQuery): FilterValues => ({ provider_id: providerId })
