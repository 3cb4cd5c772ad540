import { asStorageError, inTime, Late } from './connection.ts'

/** Does work of one name one after the other, and other work beside it. */
type InLine = <T>(name: string, work: () => Promise<T>) => Promise<T>

/**
 * A line for each name. In the database they would wait for each other as well, each with a connection of the pool: so there
 * is one that waits there, and the pool is free for others.
 * @returns what throws StorageUnavailableError for work whose turn does not come in time: it is not begun.
 */
export function createLines(timeoutMilliseconds: number): InLine {
  const ends = new Map<string, Promise<unknown>>()

  return async (name, work) => {
    const before = ends.get(name)
    const done = before === undefined ? work() : turn(before, timeoutMilliseconds).then(work)
    // Who leaves the line lets nobody past those who are still before it.
    const end = Promise.allSettled([before, done]).finally(() => {
      if (ends.get(name) === end) ends.delete(name)
    })
    ends.set(name, end)
    return done
  }
}

async function turn(before: Promise<unknown>, timeoutMilliseconds: number): Promise<void> {
  try {
    await inTime(before, timeoutMilliseconds)
  } catch (error) {
    throw error instanceof Late ? asStorageError('late', error) : error
  }
}
