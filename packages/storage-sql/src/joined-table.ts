import type { SqlJoinedTable } from './dialect.ts'

/** A table whose whole rows a statement gives, by the name that the statement has for it. @param columns those of a record. */
export const joinedTable = (alias: string, columns: readonly string[]): SqlJoinedTable => ({
  alias,
  // Each is of the issuer, and was not removed.
  columns: columns.filter((column) => column !== 'issuer' && column !== 'removed_at'),
})
