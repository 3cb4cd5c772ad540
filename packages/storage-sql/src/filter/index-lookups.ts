import type { TextLookup } from '@mintmark/storage-interface'
import type { Sql } from '../json-search.ts'
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
