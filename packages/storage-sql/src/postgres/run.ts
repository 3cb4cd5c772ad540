import { setTimeout as pause } from 'node:timers/promises'
import {
  asStorageError,
  failureOf,
  giveBack,
  inTime,
  Late,
  type PostgresClient,
  type PostgresFailure,
  type PostgresPool,
  type PostgresResult,
  type PostgresStatement,
  takeConnection,
} from './connection.ts'

/**
 * Runs a statement, and tries again for a moment while the database restarts.
 *
 * What may have been carried out is never tried again: of a code that was consumed by a try whose answer got lost, the
 * next one would say that it was replayed, and of a claim that it was seen before. Reading twice is harmless.
 * @throws StorageUnavailableError, UniqueViolation, or what is wrong with the statement.
 */
export function runStatement(pool: TimedPool, statement: PostgresStatement): Promise<PostgresResult> {
  return tryAgain(
    () => tryOnConnection(pool, (ask) => ask(statement)),
    (failure) => failure === 'lost' && isRead(statement),
  )
}

/** No statement of ours that writes begins with WITH. */
const isRead = ({ text }: PostgresStatement): boolean => /^(select|with)\b/i.test(text)

/** A statement of a transaction; a guard without a row ends it. */
interface PostgresStep extends PostgresStatement {
  readonly isGuard: boolean
}

/**
 * Runs the steps in one transaction, in their order, and returns the result of the last; `undefined` when a guard had no row.
 * Until COMMIT is sent the server undoes everything when the connection breaks: only then is nothing tried again.
 * @throws StorageUnavailableError, UniqueViolation, or what is wrong with a statement.
 */
export async function runSteps(pool: TimedPool, steps: readonly PostgresStep[]): Promise<PostgresResult | undefined> {
  let isCommitting = false
  const commit = async (ask: Ask): Promise<void> => {
    isCommitting = true
    await ask({ text: 'COMMIT' })
  }

  // With the rest: BEGIN may have been carried out where the statement with it was not, and the connection is given back.
  const beginAndAsk = async (ask: Ask): Promise<PostgresResult | undefined> => {
    await ask(begin(pool))
    return askInOrder(ask, steps)
  }

  return tryAgain(
    () => {
      isCommitting = false
      return tryOnConnection(pool, (ask) => inTransaction(ask, () => beginAndAsk(ask), commit))
    },
    (failure) => failure === 'lost' && !isCommitting,
  )
}

/**
 * Each statement sees what was committed before it: those that come after a lock see what its last holder did. And each takes
 * no longer than its answer is waited for, unless the host has said how long: the server does not notice that nobody listens
 * any more to one who waits for a lock, and would leave to him what he has locked himself.
 */
const begin = ({ timeoutMilliseconds }: TimedPool): PostgresStatement => ({
  text: `BEGIN ISOLATION LEVEL READ COMMITTED;
    SELECT set_config('statement_timeout', '${timeoutMilliseconds}', true) WHERE current_setting('statement_timeout') = '0'`,
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
    // Where this fails the connection is ended, and the transaction with it: the first error says why.
    await ask(rollback).catch(() => undefined)
    throw error
  }
}

async function askInOrder(ask: Ask, steps: readonly PostgresStep[]): Promise<PostgresResult | undefined> {
  let result: PostgresResult = { fields: [], rows: [] }
  for (const { isGuard, ...statement } of steps) {
    result = await ask(statement)
    if (isGuard && result.rows.length === 0) return undefined
  }
  return result
}

const rollback = { text: 'ROLLBACK' }

/**
 * Runs the statements in one transaction, or none. Processes that do so at once come one after the other: they wait for a
 * lock that is the database's own, and ends with the transaction.
 * @throws StorageUnavailableError, or what is wrong with a statement.
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
    // Ending the connection undoes the transaction, whatever state it is in.
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

/** A number that other users of advisory locks are unlikely to take: `mintmark` in ASCII. */
const lock = '7883954069019128427'

/**
 * Tries again for a moment while the database restarts: after a failure that left nothing behind, and after others only
 * where `mayRepeat` says so.
 * @throws StorageUnavailableError, UniqueViolation, or what is wrong with the statement.
 */
async function tryAgain<T>(
  attempt: () => Promise<Tried<T>>,
  mayRepeat: (failure: PostgresFailure) => boolean,
): Promise<T> {
  for (let count = 0; ; count += 1) {
    const tried = await attempt()
    if (tried.outcome === 'answered') return tried.answer

    const { failure, cause } = tried
    const isHarmless = failure === 'conflict' || failure === 'unsent' || mayRepeat(failure)
    const delay = delays[count]
    if (!isHarmless || delay === undefined) throw asStorageError(failure, cause)
    await pause(delay)
  }
}

/** Milliseconds between one try and the next: three of them, within a second, where the server is quick to refuse. */
const delays = [50, 250]

/** A pool, and how long each of its connections, and each answer, may take. */
interface TimedPool {
  readonly pool: PostgresPool
  readonly timeoutMilliseconds: number
}

/** Asks one statement on the connection. @throws what the driver throws, or `Late`. */
type Ask = (statement: PostgresStatement) => Promise<PostgresResult>

type Tried<T> =
  | { readonly outcome: 'answered'; readonly answer: T }
  | { readonly outcome: 'failed'; readonly failure: PostgresFailure; readonly cause: unknown }

/** Does the work on one connection of the pool, and gives the connection back; one that is broken or silent is ended. */
async function tryOnConnection<T>(
  { pool, timeoutMilliseconds }: TimedPool,
  work: (ask: Ask) => Promise<T>,
): Promise<Tried<T>> {
  let client: PostgresClient
  try {
    client = await takeConnection(pool, timeoutMilliseconds)
  } catch (cause) {
    // Whatever is wrong with the connection, the server has not seen the statement.
    return { outcome: 'failed', failure: cause instanceof Late ? 'late' : 'unsent', cause }
  }

  let isSound = true
  const ask: Ask = async (statement) => {
    if (!isSound) throw new Error('Connection terminated: an earlier statement broke it')
    try {
      return await inTime(client.query(statement), timeoutMilliseconds)
    } catch (cause) {
      isSound = !breaking.has(kindOf(cause))
      throw cause
    }
  }
  try {
    return { outcome: 'answered', answer: await work(ask) }
  } catch (cause) {
    return { outcome: 'failed', failure: kindOf(cause), cause }
  } finally {
    giveBack(client, { isSound })
  }
}

/** After these nothing more can be asked on a connection. */
const breaking: ReadonlySet<PostgresFailure> = new Set(['lost', 'unsent', 'late'])

const kindOf = (cause: unknown): PostgresFailure => (cause instanceof Late ? 'late' : failureOf(cause))
