import type { PostgresResult, PostgresStatement } from './postgres-driver.ts'
import { tryAgain } from './try-again.ts'
import { tryOnConnection, type TimedPool } from './try-on-connection.ts'

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
