import type { MemoryMedium } from '@mintmark/storage-interface/memory'

/** All that a medium holds of an issuer, as text in a fixed order. */
export const dumpMedium = (medium: MemoryMedium, issuer: string): string =>
  JSON.stringify(medium.tablesOf(issuer), (_key, value: unknown) => (value instanceof Map ? [...value].toSorted(([left], [right]) => (String(left) < String(right) ? -1 : 1)) : value), 1)
