import type { MemoryDatabase } from '@mintmark/storage-interface/memory'

/**
 * Everything that a memory database stores for an issuer, as text in a fixed order: the rows of each table as pairs of
 * key and row.
 */
export const dumpMedium = (medium: MemoryDatabase, issuer: string): string =>
  JSON.stringify(medium.tablesOf(issuer), inOrder, 1)

function inOrder(_key: string, value: unknown): unknown {
  const rows = rowsOf(value)
  if (rows instanceof Map) return [...rows].toSorted(([left], [right]) => (String(left) < String(right) ? -1 : 1))
  return rows instanceof Set ? [...rows].map(String).toSorted() : rows
}

/** A table with an order of its own stores its rows beside it. */
const rowsOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'rows' in value && value.rows instanceof Map ? value.rows : value
