import type { MemoryMedium } from '@mintmark/storage-interface/memory'

/** All that a medium holds of an issuer, as text in a fixed order. */
export const dumpMedium = (medium: MemoryMedium, issuer: string): string => JSON.stringify(medium.tablesOf(issuer), inOrder, 1)

function inOrder(_key: string, value: unknown): unknown {
  if (isTable(value)) return [...value.entries()].toSorted(([left], [right]) => (String(left) < String(right) ? -1 : 1))
  return value instanceof Set ? [...value].map(String).toSorted() : value
}

/** A Map, or what holds rows as a Map does: JSON would say of both that they are empty. */
const isTable = (value: unknown): value is Pick<Map<unknown, unknown>, 'entries'> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Set) &&
  'entries' in value &&
  typeof value.entries === 'function'
