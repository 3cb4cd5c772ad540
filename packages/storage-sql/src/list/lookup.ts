import type { ListQuery, TextLookup } from '@mintmark/storage-interface'
import { sql } from 'kysely'
import type { Sql } from '../json-search.ts'
import { isProviders } from '../keys.ts'
import { type FilterValues, keyName } from './filter.ts'
import type { ListedRows } from './listed-kind.ts'
import type { Parameter } from '../statement.ts'

/** An index that finds rows by a text. */
export interface IndexLookup extends TextLookup {
  /** The table that has the index, and the column of the texts. */
  readonly table: string
  readonly by: string
  /** That a row of the table has any of the texts, given by the names of their values. */
  readonly condition: (values: readonly string[], parameter: Parameter<string>) => Sql
  /** A query for the identifiers of those rows. */
  readonly find: (values: readonly string[], parameter: Parameter<string>) => Sql
}

/** Indexes by the attribute whose texts they hold, such as `userName` and `emails.value`. */
export type IndexLookups = ReadonlyMap<string, IndexLookup>

/** A column of a table with an index that finds it. */
interface IndexedColumn {
  readonly table: string
  /** The column of the identifiers to be found. */
  readonly id: string
  readonly by: string
  /** How many rows a value may be expected to find. */
  readonly rows: number
  /** What a row has to be beside the issuer's. What is found in vain falls away when the filter is tested. */
  readonly row: ListedRows['one']
  /** The text as the index holds it; as it is, when nothing else is said. */
  readonly indexed?: Indexed
}

type Indexed = (value: string, parameter: Parameter<string>) => Sql

/** Finds identifiers by texts of which there is an index. */
export function lookup({ table, id, by, rows, row, indexed = asItIs }: IndexedColumn): IndexLookup {
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

/** Rows in an index that begins with issuer and provider. */
export const inProvider: ListedRows['one'] = (p) => sql`provider_id = ${p('provider_id')}`

/** Rows of any provider: only those of one are listed. */
export const anyRow: ListedRows['one'] = () => sql`true`

/** The key of a text. */
export const byKey: Indexed = (value, parameter) => sql`${parameter(keyName(value))}`

/** As much of a text as `emailValues` keeps. */
export const byBeginning: Indexed = (value, parameter) => sql`substr(${parameter(value)}, 1, 200)`

const asItIs: Indexed = (value, parameter) => sql`${parameter(value)}`

/** The rows of a provider. @param kind how the table of totals calls them. */
export const providerRows = (kind: 'User' | 'Group'): ListedRows => ({
  every: (p) => sql`issuer = ${p('issuer')} and provider_id = ${p('provider_id')}`,
  one: isProviders,
  total: (p) => sql`coalesce((select total from mintmark_provider_totals
    where issuer = ${p('issuer')} and provider_id = ${p('provider_id')} and kind = ${sql.lit(kind)}), 0)`,
})

/** What the conditions are bound to. */
export const providerOf = ({ providerId }: ListQuery): FilterValues => ({ provider_id: providerId })
