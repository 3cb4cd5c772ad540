import type { DatabaseSync } from 'node:sqlite'

/**
 * Runs the work in a transaction that excludes other writers. Nothing is awaited in it: of the callers in this process
 * none comes in between.
 * @throws what the work throws, and what SQLite throws; nothing was written.
 */
export function inTransaction<T>(
  database: DatabaseSync,
  work: () => { readonly outcome: 'done' | 'undone'; readonly value: T },
): T {
  // IMMEDIATE takes the write lock first: nobody else writes between what is read and what is written.
  database.exec('BEGIN IMMEDIATE')
  try {
    const { outcome, value } = work()
    database.exec(outcome === 'done' ? 'COMMIT' : 'ROLLBACK')
    return value
  } catch (error) {
    undo(database)
    throw error
  }
}

function undo(database: DatabaseSync): void {
  try {
    database.exec('ROLLBACK')
  } catch {
    // An error such as a full disk has undone it already: there is nothing to roll back.
  }
}
