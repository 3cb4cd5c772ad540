import type { SqlRow } from '../../src/dialect.ts'

/** Converts rows to objects, by the names of their columns. */
export const byName = (rows: readonly SqlRow[] = []): readonly Readonly<Record<string, unknown>>[] =>
  rows.map(({ indexByColumn, values }) =>
    Object.fromEntries(Array.from(indexByColumn, ([column, index]) => [column, values[index]])),
  )
