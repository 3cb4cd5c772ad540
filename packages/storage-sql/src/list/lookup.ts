import { sql } from 'kysely'
import { keyName } from '../filter/filter-template.ts'
import type { IndexLookup } from '../filter/index-lookups.ts'
import type { Sql } from '../json-search.ts'
import type { Parameter } from '../statement.ts'
import type { ListedRows } from './listed-kind.ts'

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
