import { StorageUnavailableError } from '@mintmark/storage-interface'
import { withTimeout, TimedOutError } from './postgres/connection.ts'

/** Runs work of one name one after the other, and other work beside it. */
type InLine = <T>(name: string, work: () => Promise<T>) => Promise<T>

/**
 * A keyed mutex. Waiting in the database would take a connection of the pool for each waiter; here one waits there, and
 * the pool stays free for others.
 * @returns a function that throws StorageUnavailableError for work whose turn does not come in time; the work does not
 * start.
 */
export function createQueues(timeoutMilliseconds: number): InLine {
  const ends = new Map<string, Promise<unknown>>()

  return async (name, work) => {
    const before = ends.get(name)
    const done = before === undefined ? work() : turn(before, timeoutMilliseconds).then(work)
    // A waiter that times out does not let later ones pass those before it.
    const end = Promise.allSettled([before, done]).finally(() => {
      if (ends.get(name) === end) ends.delete(name)
    })
    ends.set(name, end)
    return done
  }
}

async function turn(before: Promise<unknown>, timeoutMilliseconds: number): Promise<void> {
  try {
    await withTimeout(before, timeoutMilliseconds)
  } catch (error) {
    if (!(error instanceof TimedOutError)) throw error
    throw new StorageUnavailableError('Earlier changes of the same group take too long', { cause: error })
  }
}
