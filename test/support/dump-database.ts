import type { MemoryDatabase } from '@mintmark/storage-interface/memory'

/**
 * Returns everything that a memory database stores for an issuer, as text in a fixed order. Each table is a list of
 * pairs of key and row.
 */
export const dumpDatabase = (database: MemoryDatabase, issuer: string): string =>
  JSON.stringify(database.tablesOf(issuer), inOrder, 1)

function inOrder(_key: string, value: unknown): unknown {
  const rows = rowsOf(value)
  if (rows instanceof Map) return [...rows].toSorted(([left], [right]) => (String(left) < String(right) ? -1 : 1))
  return rows instanceof Set ? [...rows].map(String).toSorted() : rows
}

/** Returns the map of rows. A table that also keeps an index is an object with the map in its member `rows`. */
const rowsOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'rows' in value && value.rows instanceof Map ? value.rows : value
