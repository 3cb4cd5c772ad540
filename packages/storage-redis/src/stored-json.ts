import type { JsonValue } from '@mintmark/storage-interface'

/**
 * Returns a record as JSON text. Writes `undefined` as null instead of omitting the member, so that a reader can tell a
 * value that is not set from a member that is missing.
 */
export const storedJson = (record: object): string =>
  JSON.stringify(record, (_name, value: unknown) => (value === undefined ? null : value))

/** @throws Error when a script has returned no record. */
export function parseStored(text: string | null | undefined): JsonValue {
  if (typeof text !== 'string') throw new Error('A stored record is missing.')
  return JSON.parse(text) as JsonValue
}
