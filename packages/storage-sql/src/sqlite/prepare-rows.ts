import { StatementSync, type DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import type { SqlRow, SqlValue } from '../dialect.ts'
import { placesOf, rowsByPlace } from '../rows-by-place.ts'

/** Runs a statement that has been prepared. */
export type RunPrepared = (parameters: readonly SqlValue[]) => readonly SqlRow[]

/**
 * Prepares a statement. Its columns are named once: an object with their names for each row takes more than twice as long as
 * the values alone.
 */
export function prepareRows(database: DatabaseSync, statement: string): RunPrepared {
  const prepared = database.prepare(statement)
  if (!givesValues) return (parameters) => rowsByPlace(prepared.all(...bindable(parameters)))

  prepared.setReturnArrays(true)
  const places = placesOf(prepared.columns().map(({ name }) => name))
  return (parameters) => {
    // What `setReturnArrays` changes is not in the type of `all`.
    const rows = prepared.all(...bindable(parameters)) as unknown as readonly (readonly SQLOutputValue[])[]
    return rows.map((values) => ({ places, values }))
  }
}

/** The engine encodes flags as numbers. */
const bindable = (parameters: readonly SqlValue[]) => parameters as readonly Exclude<SqlValue, boolean>[]

/** Node.js 22.16 and later. */
const givesValues = 'setReturnArrays' in StatementSync.prototype
