import { setTimeout as pause } from 'node:timers/promises'
import { asStorageError, type PostgresFailure } from './postgres-failure.ts'
import type { Tried } from './try-on-connection.ts'

/**
 * Tries again for a moment while the database restarts: after a failure that left nothing behind, and after others only
 * where `mayRepeat` says so.
 * @throws StorageUnavailableError, UniqueViolation, or what is wrong with the statement.
 */
export async function tryAgain<T>(
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
