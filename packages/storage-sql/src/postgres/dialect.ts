import { hash } from 'node:crypto'
import { StorageUnavailableError } from '@mintmark/storage-interface'
import type { SqlDialect, SqlRow, SqlValue, StatementLifetime } from '../dialect.ts'
import { heardElsewhere, type PostgresPool, type PostgresResult, type PostgresStatement } from './connection.ts'
import { postgres } from './engine.ts'
import { createLines } from './in-line.ts'
import { runInTransaction, runStatement, runSteps } from './run.ts'
import { decodeValue, encodeValue } from './text.ts'
import { placesOf } from '../row.ts'

/** What is given to `postgresPool`. */
export interface PostgresPoolOptions {
  /**
   * `on-open`: `createSqlStorage` applies pending migrations, for development. `by-command`: it says which command to
   * run, and stops.
   * @defaultValue `by-command`. In production a person decides when a schema changes.
   */
  readonly migrate?: 'by-command' | 'on-open'
  /**
   * How long a statement may wait for a connection, and then for its answer; and a change of a group, before both, for those of
   * the same group that came first.
   * @defaultValue 5000. A statement takes a millisecond; after seconds the caller has given up.
   */
  readonly timeoutMilliseconds?: number
}

/**
 * A PostgreSQL database behind the host's own pool, which the host also ends. The pool leads to the primary, and its
 * connections are at the isolation level READ COMMITTED, as they are by default. The tables are those of the
 * connection's search path.
 */
export function toPostgresDialect(pool: PostgresPool, options: PostgresPoolOptions = {}): SqlDialect {
  const { migrate = 'by-command', timeoutMilliseconds = 5000 } = options
  const timed = { pool, timeoutMilliseconds }
  const names = new Map<string, string>()
  const read = createResultReader()
  let isOpen = true
  pool.on('error', heardElsewhere)

  function requireOpen(): void {
    if (!isOpen) throw new StorageUnavailableError('The storage has been closed')
  }

  function nameOf(text: string): string {
    const name = names.get(text) ?? `mintmark_${hash('sha256', text, 'hex').slice(0, 32)}`
    names.set(text, name)
    return name
  }

  function prepare(text: string, parameters: readonly SqlValue[], lifetime: StatementLifetime): PostgresStatement {
    const sent = { text, values: parameters.map(encodeValue), rowMode: 'array' } as const
    // A name makes every connection keep the statement: one of very many has none, and is planned for its values each time.
    return lifetime === 'lasting' ? { name: nameOf(text), ...sent } : sent
  }

  return {
    engine: postgres,
    migrate,
    migrateCommand: 'mintmark-migrate apply --postgres URL',

    async all(text, parameters, lifetime = 'lasting') {
      requireOpen()
      return read(await runStatement(timed, prepare(text, parameters, lifetime)), text, lifetime)
    },

    async transact(steps) {
      requireOpen()
      const prepared = steps.map(({ statement, parameters, role }) => ({
        ...prepare(statement, parameters, 'lasting'),
        isGuard: role === 'guard',
      }))
      const result = await runSteps(timed, prepared)
      const last = steps.at(-1)
      return result && last && read(result, last.statement, 'lasting')
    },

    inLine: createLines(timeoutMilliseconds),

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

/** Makes rows of the result of a statement that was sent with the row mode `array`. */
type ReadResult = (result: PostgresResult, text: string, lifetime: StatementLifetime) => readonly SqlRow[]

/** Keeps where the columns of lasting statements stand: the server tells their names with each result, which is slow to read. */
function createResultReader(): ReadResult {
  const lasting = new Map<string, SqlRow['places']>()

  return ({ fields, rows }, text, lifetime) => {
    if (rows.length === 0) return []
    const known = lasting.get(text)
    const places = known ?? placesOf(fields.map(({ name }) => name))
    if (known === undefined && lifetime === 'lasting') lasting.set(text, places)
    return (rows as readonly (readonly unknown[])[]).map((values) => ({ places, values: values.map(decodeValue) }))
  }
}
