import type { SqlRow } from '../../src/dialect.ts'

/** Converts rows to objects, by the names of their columns. */
export const byName = (rows: readonly SqlRow[] = []): readonly Readonly<Record<string, unknown>>[] =>
  rows.map(({ places, values }) => Object.fromEntries(Array.from(places, ([column, place]) => [column, values[place]])))
