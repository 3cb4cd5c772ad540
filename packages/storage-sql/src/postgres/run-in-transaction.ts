import { giveBack, takeConnection, type PostgresClient, type PostgresPool } from './postgres-driver.ts'
import { asStorageError, failureOf } from './postgres-failure.ts'

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
