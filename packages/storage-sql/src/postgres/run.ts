import { setTimeout as pause } from 'node:timers/promises'
import {
  asStorageError,
  failureOf,
  giveBack,
  withTimeout,
  TimedOutError,
  type PostgresClient,
  type PostgresFailure,
  type PostgresPool,
  type PostgresResult,
  type PostgresStatement,
  ReadOnlyServerError,
  type ConnectionWatch,
  takeConnection,
} from './connection.ts'
import { untilAborted } from '../until-aborted.ts'
import type { EndLateStatement } from './late-statements.ts'
import { sendsMessages, type Send } from './send.ts'

/**
 * Runs a statement, and retries for a moment while the database restarts.
 *
 * A statement that may have run is not retried: if the answer to consuming a code is lost, a second try would report a
 * replay, and marking a value as used would report it as seen. Reads can be repeated.
 * @throws StorageUnavailableError, UniqueViolationError, or the error of a wrong statement.
 */
export function runStatement(
  pool: TimedPool,
  statement: PostgresStatement,
  signal?: AbortSignal,
): Promise<PostgresResult> {
  const isRead = mayRunTwice(statement)
  return retry(
    () => attemptOnConnection({ pool, signal, isRead }, (ask) => ask(statement)),
    (failure) => failure === 'lost' && isRead,
  )
}

/** Sends statements together, once. All of them fail if one does, or if the driver cannot send them together. */
export const tryTogether = (
  pool: TimedPool,
  statements: readonly PostgresStatement[],
  isRead: boolean,
): Promise<Attempt<readonly PostgresResult[]>> =>
  attemptOnConnection({ pool, signal: undefined, isRead }, async (_, { client, askTogether }) => {
    if (!sendsMessages(client)) throw new OneByOneError()
    return askTogether(statements)
  })

/** The connection is not one of `pg`, or is in a mode in which it sends one statement at a time. */
export class OneByOneError extends Error {
  override readonly name = 'OneByOneError'
}

/** Statements of this package that begin with WITH read, or have the same result when they run twice (`sessions.join`). */
const mayRunTwice = ({ text }: PostgresStatement): boolean => /^(select|with)\b/i.test(text)

/** A statement of a transaction. A guard without a row rolls it back. */
interface PostgresStep extends PostgresStatement {
  readonly isGuard: boolean
}

/**
 * Runs the steps in order in one transaction and returns the result of the last; `undefined` if a guard had no row.
 * Until COMMIT is sent, the server rolls back when the connection breaks, so a retry is safe until then.
 * @throws StorageUnavailableError, UniqueViolationError, or the error of a wrong statement.
 */
export async function runSteps(
  pool: TimedPool,
  steps: readonly PostgresStep[],
  signal?: AbortSignal,
): Promise<PostgresResult | undefined> {
  let isCommitting = false
  const commit = async (ask: Ask): Promise<void> => {
    isCommitting = true
    await ask({ text: 'COMMIT' })
  }

  // BEGIN is inside the `try`: the server may have run it even if the statement sent with it failed, and the connection
  // goes back to the pool.
  const beginAndAsk = async (ask: Ask): Promise<PostgresResult | undefined> => {
    await ask(begin(pool))
    return sendInOrder(ask, steps)
  }

  return retry(
    () => {
      isCommitting = false
      return attemptOnConnection({ pool, signal, isRead: false }, (ask) =>
        inTransaction(ask, () => beginAndAsk(ask), commit),
      )
    },
    (failure) => failure === 'lost' && !isCommitting,
  )
}

/**
 * Begins a transaction. READ COMMITTED: a statement after a lock sees what the last holder of the lock committed. The
 * statement timeout, unless the host has set one, is the time that this process waits for an answer: PostgreSQL does not
 * notice that a client has given up waiting for a lock, and would keep the locks of its transaction. No parallel workers:
 * with them, a query would have more processes than its connection.
 */
const begin = ({ timeoutMilliseconds }: TimedPool): PostgresStatement => ({
  text: `BEGIN ISOLATION LEVEL READ COMMITTED;
    SELECT set_config('max_parallel_workers_per_gather', '0', true), CASE current_setting('statement_timeout')
      WHEN '0' THEN set_config('statement_timeout', '${timeoutMilliseconds}', true) END`,
})

async function inTransaction<T>(
  ask: Ask,
  work: () => Promise<T | undefined>,
  commit: (ask: Ask) => Promise<void>,
): Promise<T | undefined> {
  try {
    const answer = await work()
    await (answer === undefined ? ask(rollback) : commit(ask))
    return answer
  } catch (error) {
    // If the rollback fails, the connection is closed, which rolls back as well. The first error states the reason.
    await ask(rollback).catch(() => undefined)
    throw error
  }
}

async function sendInOrder(ask: Ask, steps: readonly PostgresStep[]): Promise<PostgresResult | undefined> {
  let result: PostgresResult = { fields: [], rows: [] }
  for (const { isGuard, ...statement } of steps) {
    result = await ask(statement)
    if (isGuard && result.rows.length === 0) return undefined
  }
  return result
}

const rollback = { text: 'ROLLBACK' }

/**
 * Runs the statements in one transaction, or none. An advisory lock of the transaction makes processes wait for each
 * other.
 * @throws StorageUnavailableError, or the error of a wrong statement.
 */
export async function runInTransaction(pool: PostgresPool, statements: readonly string[]): Promise<void> {
  const client = await connect(pool)
  let isSound = false
  try {
    await client.query({ text: 'BEGIN' })
    await client.query({ text: `SELECT pg_advisory_xact_lock(${lock})` })
    for (const text of statements) await client.query({ text })
    await client.query({ text: 'COMMIT' })
    isSound = true
  } catch (error) {
    throw asStorageError(failureOf(error), error)
  } finally {
    // Closing the connection rolls the transaction back, whatever its state.
    giveBack(client, { isSound })
  }
}

async function connect(pool: PostgresPool): Promise<PostgresClient> {
  try {
    return await takeConnection(pool)
  } catch (error) {
    throw asStorageError('unsent', error)
  }
}

/** A number that other users of advisory locks are unlikely to use: `mintmark` in ASCII. */
const lock = '7883954069019128427'

/**
 * Retries for a moment while the database restarts: after failures in `unexecuted`, and after other failures if `mayRepeat`
 * allows it.
 * @throws StorageUnavailableError, UniqueViolationError, or the error of a wrong statement.
 */
async function retry<T>(
  attempt: () => Promise<Attempt<T>>,
  mayRepeat: (failure: PostgresFailure) => boolean,
): Promise<T> {
  for (let count = 0; ; count += 1) {
    const tried = await attempt()
    if (tried.outcome === 'answered') return tried.answer

    const { failure, cause } = tried
    const isHarmless = unexecuted.has(failure) || mayRepeat(failure)
    const delay = delays[count]
    if (!isHarmless || delay === undefined) throw asStorageError(failure, cause)
    await pause(delay)
  }
}

/** After these failures the server has carried nothing out. */
const unexecuted: ReadonlySet<PostgresFailure> = new Set(['conflict', 'unsent', 'read_only'])

/** Milliseconds between attempts: three attempts within a second, if the server is quick to refuse. */
const delays = [50, 250]

/** A pool, and the time limit for a connection and for each answer. */
export interface TimedPool {
  readonly pool: PostgresPool
  readonly timeoutMilliseconds: number
  readonly connections: ConnectionWatch
  /** Whether statements keep their names on a connection to a pooler. */
  readonly namesBehindPooler: boolean
  readonly endLateStatement: EndLateStatement
  readonly send: Send
}

/** A pool, and the call that takes a connection. */
interface CallOnPool {
  readonly pool: TimedPool
  readonly signal: AbortSignal | undefined
  /** Whether the call can be repeated on another connection although it has succeeded. */
  readonly isRead: boolean
}

/** Sends one statement on the connection. @throws the driver's error, or `TimedOutError`. */
type Ask = (statement: PostgresStatement) => Promise<PostgresResult>

/** Sends several statements together, in one transaction. @throws as `Ask`. */
type AskTogether = (statements: readonly PostgresStatement[]) => Promise<readonly PostgresResult[]>

export type Attempt<T> =
  | { readonly outcome: 'answered'; readonly answer: T }
  | { readonly outcome: 'failed'; readonly failure: PostgresFailure; readonly cause: unknown }

/**
 * Runs the work on one connection of the pool and returns the connection, or closes it if it is broken. A statement that was
 * aborted, or not answered in time, is cancelled before the connection is returned.
 */
async function attemptOnConnection<T>(
  { pool: timed, signal, isRead }: CallOnPool,
  work: (ask: Ask, taken: { readonly client: PostgresClient; readonly askTogether: AskTogether }) => Promise<T>,
): Promise<Attempt<T>> {
  const { timeoutMilliseconds, connections, endLateStatement, send } = timed
  let client: PostgresClient
  try {
    client = await takeCurrentConnection(timed)
  } catch (cause) {
    // In every case, the server has not received the statement.
    return { outcome: 'failed', failure: cause instanceof TimedOutError ? 'late' : 'unsent', cause }
  }

  if (signal?.aborted === true) {
    giveBack(client, { isSound: true })
    return { outcome: 'failed', failure: 'mistake', cause: signal.reason }
  }
  const keepsNames = timed.namesBehindPooler || !connections.hasPooler(client)
  let isSound = true
  let unanswered: Promise<unknown> | undefined
  const askTogether: AskTogether = async (statements) => {
    if (!isSound) throw new Error('Connection terminated: an earlier statement broke it')
    const answer = send(client, keepsNames ? statements : statements.map(withoutName))
    try {
      return await withTimeout(signal === undefined ? answer : untilAborted(answer, signal), timeoutMilliseconds)
    } catch (cause) {
      const isAborted = signal?.aborted === true && cause === signal.reason
      const failure = kindOf(cause)
      isSound = !isAborted && !breaking.has(failure)
      if (failure === 'read_only') connections.abandon()
      if (isAborted || failure === 'late') unanswered = answer
      throw cause
    }
  }
  const ask: Ask = async (statement) => {
    const [result] = await askTogether([statement])
    return result ?? { fields: [], rows: [] }
  }
  try {
    const answer = await work(ask, { client, askTogether })
    if (!isRead || !connections.isReadOnly(client)) return { outcome: 'answered', answer }
    isSound = false
    return { outcome: 'failed', failure: 'read_only', cause: new ReadOnlyServerError() }
  } catch (cause) {
    return { outcome: 'failed', failure: kindOf(cause), cause }
  } finally {
    if (unanswered === undefined) giveBack(client, { isSound })
    else endLateStatement({ client, unanswered, hasPooler: connections.hasPooler(client) })
  }
}

/** A statement that was prepared in one server process is unknown in the next, to which a pooler may lead. */
const withoutName = (statement: PostgresStatement): PostgresStatement => ({ ...statement, name: undefined })

/**
 * Takes a connection to the primary. Connections that lead elsewhere are closed.
 * @throws the pool's or the driver's error, `TimedOutError`, or `ReadOnlyServerError` for a new connection.
 */
async function takeCurrentConnection({
  pool,
  timeoutMilliseconds,
  connections,
}: Pick<TimedPool, 'pool' | 'timeoutMilliseconds' | 'connections'>): Promise<PostgresClient> {
  for (;;) {
    const client = await takeConnection(pool, timeoutMilliseconds)
    let isCurrent = false
    try {
      const isNew = !connections.isKnown(client)
      if (isNew) await withTimeout(connections.inspect(client), timeoutMilliseconds)
      if (isNew && connections.isReadOnly(client)) throw new ReadOnlyServerError()
      isCurrent = !connections.isOutdated(client)
      if (isCurrent) return client
    } finally {
      if (!isCurrent) giveBack(client, { isSound: false })
    }
  }
}

/** After these failures the connection cannot be used. */
const breaking: ReadonlySet<PostgresFailure> = new Set(['lost', 'unsent', 'late', 'read_only'])

const kindOf = (cause: unknown): PostgresFailure => (cause instanceof TimedOutError ? 'late' : failureOf(cause))
