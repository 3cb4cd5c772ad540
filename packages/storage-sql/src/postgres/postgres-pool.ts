import { createHash } from 'node:crypto'
import { StorageUnavailableError } from '@mintmark/storage-interface'
import type { SqlDialect } from '../dialect.ts'
import { heardElsewhere, type PostgresPool } from './postgres-driver.ts'
import { postgres } from './postgres-engine.ts'
import { decodeRow, encodeValue } from './postgres-text.ts'
import { runInTransaction } from './run-in-transaction.ts'
import { runStatement } from './run-statement.ts'

export interface PostgresPoolOptions {
  /** `on-open`: `createSqlStorage` applies pending migrations. For development; in production run `mintmark-migrate`. */
  readonly migrate?: 'by-command' | 'on-open'
  /** How long a statement may wait for a connection, and then for its answer; 5000 by default. */
  readonly timeoutMilliseconds?: number
}

/**
 * A PostgreSQL database behind the host's own pool, which the host also ends. The pool leads to the primary, and its
 * connections are at the isolation level READ COMMITTED, as they are by default. The tables are those of the
 * connection's search path.
 */
export function postgresPool(pool: PostgresPool, options: PostgresPoolOptions = {}): SqlDialect {
  const { migrate = 'by-command', timeoutMilliseconds = 5000 } = options
  const names = new Map<string, string>()
  let isOpen = true
  pool.on('error', heardElsewhere)

  function requireOpen(): void {
    if (!isOpen) throw new StorageUnavailableError('The storage has been closed')
  }

  function nameOf(text: string): string {
    const name = names.get(text) ?? `mintmark_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
    names.set(text, name)
    return name
  }

  return {
    engine: postgres,
    migrate,
    migrateCommand: 'mintmark-migrate apply --postgres URL',

    async all(text, parameters) {
      requireOpen()
      const statement = { name: nameOf(text), text, values: parameters.map(encodeValue) }
      const rows = await runStatement(pool, statement, timeoutMilliseconds)
      return rows.map(decodeRow)
    },

    async atomically(statements) {
      requireOpen()
      await runInTransaction(pool, statements)
    },

    async close() {
      isOpen = false
      pool.off('error', heardElsewhere)
    },
  }
}
