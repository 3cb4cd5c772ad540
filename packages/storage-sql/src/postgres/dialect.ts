import { hash } from 'node:crypto'
import { aBoolean, anObjectWith, checkOptions, oneOf, required, wholeNumber } from '@mintmark/internal'
import { StorageUnavailableError } from '@mintmark/storage-interface'
import type { SqlDialect, SqlRow, SqlValue, StatementLifetime } from '../dialect.ts'
import { createWriteQueues } from '../write-queues.ts'
import {
  ignoreError,
  type PostgresPool,
  type PostgresResult,
  type PostgresStatement,
  watchConnections,
} from './connection.ts'
import { createFairTurns, type FairTurns } from '../fair-turns.ts'
import { postgres } from './engine.ts'
import { createLateStatements } from './late-statements.ts'
import { createLookups, createOwnWrites } from './lookups.ts'
import { runInTransaction, runStatement, runSteps, type TimedPool } from './run.ts'
import { createSend } from './send.ts'
import { decodeValue, encodeValue } from './text.ts'
import { toIndexByColumn } from '../row.ts'

/** Options of `toPostgresDialect`. */
export interface PostgresDialectOptions {
  /**
   * `on-open`: `createSqlStorage` applies pending migrations, for development. `by-command`: it fails with the command
   * to run.
   * @defaultValue `by-command`. In production an operator decides when a schema changes.
   */
  readonly migrate?: 'by-command' | 'on-open'
  /**
   * How long a statement may wait for a connection, and then for its answer. A statement that takes longer is cancelled
   * in the server, and its connection is counted against the pool until the statement has ended. A change of a group may
   * first wait as long for changes of the same group in this process.
   * @defaultValue 5000. A statement takes a millisecond; after seconds the caller has given up.
   */
  readonly timeoutMilliseconds?: number
  /**
   * Whether statements are also prepared on connections to a pooler, such as PgBouncer. They always are on direct
   * connections; which of the two a connection is, is found out. In transaction mode, the pooler must then support
   * prepared statements: PgBouncer 1.21 or later with `max_prepared_statements` above 0.
   * @defaultValue `false`. Older poolers answer "prepared statement does not exist" or run another one.
   */
  readonly preparedStatementsBehindPooler?: boolean
}

/**
 * Uses a PostgreSQL database through the host's own pool. The host ends the pool. It must lead to the primary, and its
 * connections must use the isolation level READ COMMITTED, which is the default. The tables are in the connection's
 * search path.
 */
export function toPostgresDialect(pool: PostgresPool, options: PostgresDialectOptions = {}): SqlDialect {
  checkOptions('toPostgresDialect', { pool }, { pool: required(anObjectWith('connect', 'on')) })
  checkOptions('toPostgresDialect', options, {
    migrate: oneOf('by-command', 'on-open'),
    timeoutMilliseconds: wholeNumber(1),
    preparedStatementsBehindPooler: aBoolean,
  })
  const { migrate = 'by-command', timeoutMilliseconds = 5000, preparedStatementsBehindPooler = false } = options
  refuseSeveralHosts(pool)
  const timed = timedPool(pool, { timeoutMilliseconds, namesBehindPooler: preparedStatementsBehindPooler })
  const lookUp = createLookups(timed)
  const writeOwn = createOwnWrites(timed)
  const turns = { long: createLongTurns(timed), passing: createLongTurns(timed) }
  const prepare = createPrepare()
  const read = createResultReader()
  let isOpen = true
  pool.on('error', ignoreError)

  function requireOpen(): void {
    if (!isOpen) throw new StorageUnavailableError('The storage has been closed')
  }

  return {
    engine: postgres,
    migrate,
    migrateCommand: 'npx mintmark-migrate apply --postgres URL',

    async all(text, parameters, { lifetime = 'lasting', owner = '', signal, isLookup = false, ownKey } = {}) {
      requireOpen()
      const statement = prepare(text, parameters, lifetime)
      if (isLookup) return read(await lookUp(statement), text, lifetime)
      if (ownKey !== undefined) return read(await writeOwn(statement, ownKey), text, lifetime)
      if (lifetime === 'lasting') return read(await runStatement(timed, statement, signal), text, lifetime)
      // In a transaction the server limits the time of the query, even if this process is killed meanwhile.
      const result = await turns[lifetime]({ owner, signal }, () =>
        runSteps(timed, [{ ...statement, isGuard: false }], signal),
      )
      return result === undefined ? [] : read(result, text, lifetime)
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

    oneAtATime: createWriteQueues(timeoutMilliseconds),

    async atomically(statements) {
      requireOpen()
      await runInTransaction(pool, statements)
    },

    async close() {
      isOpen = false
      pool.off('error', ignoreError)
    },
  }
}

const timedPool = (
  pool: PostgresPool,
  options: Pick<TimedPool, 'timeoutMilliseconds' | 'namesBehindPooler'>,
): TimedPool => ({
  ...options,
  pool,
  connections: watchConnections(),
  endLateStatement: createLateStatements(pool, options.timeoutMilliseconds),
  send: createSend(),
})

/**
 * Queries that may read many rows use at most a quarter of the pool for pages, and a quarter for searches. The rest of the
 * pool stays free for statements that take a millisecond.
 */
const createLongTurns = ({ pool, timeoutMilliseconds }: Pick<TimedPool, 'pool' | 'timeoutMilliseconds'>): FairTurns =>
  createFairTurns({
    atOnce: Math.max(1, Math.floor((pool.options?.max ?? defaultPoolSize) / 4)),
    timeout: {
      milliseconds: timeoutMilliseconds,
      error: () => new StorageUnavailableError('Earlier searches take too long'),
    },
  })

/** The default of `pg`. */
const defaultPoolSize = 10

/**
 * Refuses a pool with several hosts: `pg` connects to one host, and looks up a list of hosts as if it were one name.
 * @throws TypeError. Its message says what to do instead, without the connection string, which has a password.
 */
function refuseSeveralHosts({ options: { host = '', connectionString = '' } = {} }: PostgresPool): void {
  const [, authority = ''] = /^\w+:\/\/([^/?#]*)/.exec(connectionString) ?? []
  const [, named = ''] = /[?&]host=([^&#]*)/.exec(connectionString) ?? []
  const hosts = [host, authority.slice(authority.lastIndexOf('@') + 1), decodeURIComponent(named)]
  if (hosts.some((name) => !name.startsWith('/') && name.includes(',')))
    throw new TypeError(
      'toPostgresDialect: the pool names several hosts, and the pg driver connects to one. Give it one address that leads to the primary, such as that of a proxy or of your provider.',
    )
}

type Prepare = (text: string, parameters: readonly SqlValue[], lifetime: StatementLifetime) => PostgresStatement

/** Returns a function that makes the statements to send, and remembers their names. */
export function createPrepare(): Prepare {
  const names = new Map<string, string>()

  function nameOf(text: string): string {
    const name = names.get(text) ?? `mintmark_${hash('sha256', text, 'hex').slice(0, 32)}`
    names.set(text, name)
    return name
  }

  return (text, parameters, lifetime) => {
    const sent = { text, values: parameters.map(encodeValue), rowMode: 'array' } as const
    // Every connection keeps a statement that has a name. A statement that is one of very many has no name, and is planned
    // for its values each time.
    return lifetime === 'passing' ? sent : { name: nameOf(text), ...sent, isLasting: true }
  }
}

/** Converts the result of a statement that was sent with the row mode `array` to rows. */
type ReadResult = (result: PostgresResult, text: string, lifetime: StatementLifetime) => readonly SqlRow[]

/**
 * Returns a reader that keeps the column positions of lasting statements: the server sends the names with each result, and
 * reading them is slow.
 */
export function createResultReader(): ReadResult {
  const lasting = new Map<string, SqlRow['indexByColumn']>()

  return ({ fields, rows }, text, lifetime) => {
    const known = lasting.get(text)
    const indexByColumn = known ?? toIndexByColumn(fields.map(({ name }) => name))
    if (known === undefined && lifetime !== 'passing') lasting.set(text, indexByColumn)
    return (rows as readonly (readonly unknown[])[]).map((values) => ({
      indexByColumn,
      values: values.map(decodeValue),
    }))
  }
}
