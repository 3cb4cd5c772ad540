import { createQueues } from '@mintmark/internal'
import { StorageUnavailableError } from '@mintmark/storage-interface'
import type { SqlDialect } from './dialect.ts'

/**
 * Creates the queues of `SqlDialect.oneAtATime`. Work that waits in a queue holds no connection, so only one connection at a
 * time waits for a row in the database, and the rest of the pool stays free.
 */
export const createWriteQueues = (milliseconds: number): SqlDialect['oneAtATime'] =>
  createQueues({
    milliseconds,
    error: () => new StorageUnavailableError('Earlier changes of the same group take too long'),
  })
