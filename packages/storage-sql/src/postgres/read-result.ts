import type { SqlRow, StatementLifetime } from '../dialect.ts'
import { placesOf } from '../rows-by-place.ts'
import type { PostgresResult } from './postgres-driver.ts'
import { decodeValue } from './postgres-text.ts'

/** Makes rows of the result of a statement that was sent with the row mode `array`. */
export type ReadResult = (result: PostgresResult, text: string, lifetime: StatementLifetime) => readonly SqlRow[]

/** Keeps where the columns of lasting statements stand: the server tells their names with each result, which is slow to read. */
export function createResultReader(): ReadResult {
  const lasting = new Map<string, SqlRow['places']>()

  return ({ fields, rows }, text, lifetime) => {
    if (rows.length === 0) return []
    const known = lasting.get(text)
    const places = known ?? placesOf(fields.map(({ name }) => name))
    if (known === undefined && lifetime === 'lasting') lasting.set(text, places)
    return (rows as readonly (readonly unknown[])[]).map((values) => ({ places, values: values.map(decodeValue) }))
  }
}
