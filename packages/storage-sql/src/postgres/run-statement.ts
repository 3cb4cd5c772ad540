import { setTimeout as pause } from 'node:timers/promises'
import type { SqlRow } from '../dialect.ts'
import {
  giveBack,
  heardElsewhere,
  takeConnection,
  type PostgresClient,
  type PostgresPool,
  type PostgresStatement,
} from './postgres-driver.ts'
import { asStorageError, failureOf, type PostgresFailure } from './postgres-failure.ts'

/**
 * Runs a statement, and tries again for a moment while the database restarts.
 *
 * What may have been carried out is never tried again: of a code that was consumed by a try whose answer got lost, the
 * next one would say that it was replayed, and of a claim that it was seen before. Reading twice is harmless.
 * @throws StorageUnavailableError, or what is wrong with the statement.
 */
export async function runStatement(
  pool: PostgresPool,
  statement: PostgresStatement,
  timeoutMilliseconds: number,
): Promise<readonly SqlRow[]> {
  const isRead = /^select\b/i.test(statement.text)

  for (let count = 0; ; count += 1) {
    const tried = await tryOnce(pool, statement, timeoutMilliseconds)
    if (tried.outcome === 'answered') return tried.rows

    const { failure, cause } = tried
    const mayRepeat = failure === 'conflict' || failure === 'unsent' || (failure === 'lost' && isRead)
    const delay = delays[count]
    if (!mayRepeat || delay === undefined) throw asStorageError(failure, cause)
    await pause(delay)
  }
}

/** Milliseconds between one try and the next: three of them, within a second, where the server is quick to refuse. */
const delays = [50, 250]

type Tried =
  | { readonly outcome: 'answered'; readonly rows: readonly SqlRow[] }
  | { readonly outcome: 'failed'; readonly failure: PostgresFailure; readonly cause: unknown }

async function tryOnce(pool: PostgresPool, statement: PostgresStatement, timeout: number): Promise<Tried> {
  let client: PostgresClient | typeof late
  try {
    client = await connect(pool, timeout)
  } catch (cause) {
    // Whatever is wrong with the connection, the server has not seen the statement.
    return { outcome: 'failed', failure: 'unsent', cause }
  }
  if (client === late) return { outcome: 'failed', failure: 'late', cause: new Error('no connection was free in time') }

  // A connection that is broken or silent is not given back to the pool.
  let isSound = false
  try {
    const answer = await inTime(client.query(statement), timeout)
    if (answer === late) return { outcome: 'failed', failure: 'late', cause: new Error('no answer came in time') }
    isSound = true
    return { outcome: 'answered', rows: answer.rows }
  } catch (cause) {
    const failure = failureOf(cause)
    isSound = failure !== 'lost' && failure !== 'unsent'
    return { outcome: 'failed', failure, cause }
  } finally {
    giveBack(client, { isSound })
  }
}

async function connect(pool: PostgresPool, timeout: number): Promise<PostgresClient | typeof late> {
  const connecting = takeConnection(pool)
  const client = await inTime(connecting, timeout)
  if (client === late) connecting.then((unwanted) => giveBack(unwanted, { isSound: true }), heardElsewhere)
  return client
}

const late = Symbol('late')

async function inTime<T>(work: Promise<T>, milliseconds: number): Promise<T | typeof late> {
  let timer: NodeJS.Timeout | undefined
  const alarm = new Promise<typeof late>((resolve) => {
    timer = setTimeout(() => resolve(late), milliseconds)
  })
  try {
    return await Promise.race([work, alarm])
  } finally {
    clearTimeout(timer)
  }
}
