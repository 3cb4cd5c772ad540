import type { MemoryMedium } from '@mintmark/storage-interface/memory'

/** All that a medium holds of an issuer, as text in a fixed order. */
export const dumpMedium = (medium: MemoryMedium, issuer: string): string => JSON.stringify(medium.tablesOf(issuer), inOrder, 1)

function inOrder(_key: string, value: unknown): unknown {
  if (value instanceof Map) return [...value].toSorted(([left], [right]) => (String(left) < String(right) ? -1 : 1))
  return value instanceof Set ? [...value].map(String).toSorted() : value
}
