import type { PostgresResult, PostgresStatement } from './postgres-driver.ts'
import { tryAgain } from './try-again.ts'
import { tryOnConnection, type Ask, type TimedPool } from './try-on-connection.ts'

/** A statement of a transaction; a guard without a row ends it. */
export interface PostgresStep extends PostgresStatement {
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
