import { inTime, Late } from './in-time.ts'
import {
  giveBack,
  takeConnection,
  type PostgresClient,
  type PostgresPool,
  type PostgresResult,
  type PostgresStatement,
} from './postgres-driver.ts'
import { failureOf, type PostgresFailure } from './postgres-failure.ts'

/** A pool, and how long each of its connections, and each answer, may take. */
export interface TimedPool {
  readonly pool: PostgresPool
  readonly timeoutMilliseconds: number
}

/** Asks one statement on the connection. @throws what the driver throws, or `Late`. */
export type Ask = (statement: PostgresStatement) => Promise<PostgresResult>

export type Tried<T> =
  | { readonly outcome: 'answered'; readonly answer: T }
  | { readonly outcome: 'failed'; readonly failure: PostgresFailure; readonly cause: unknown }

/** Does the work on one connection of the pool, and gives the connection back; one that is broken or silent is ended. */
export async function tryOnConnection<T>(
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
