/** Runs work of one key one after the other, and work of different keys at the same time. */
type Queues = <T>(key: string, work: () => Promise<T>) => Promise<T>

/** How long work waits for its turn, and the error with which it then fails without having started. */
interface QueueTimeout {
  readonly milliseconds: number
  readonly error: () => Error
}

/**
 * Creates a mutex for each key, within this process.
 * @param timeout without it, work waits without a limit.
 */
export function createQueues(timeout?: QueueTimeout): Queues {
  const lastWork = new Map<string, Promise<unknown>>()

  return async (key, work) => {
    const before = lastWork.get(key)
    const done = before === undefined ? work() : withinTimeout(before, timeout).then(work)
    // When work gives up waiting, later work must still wait for the work before it.
    const end = Promise.allSettled([before, done]).finally(() => {
      if (lastWork.get(key) === end) lastWork.delete(key)
    })
    lastWork.set(key, end)
    return done
  }
}

/**
 * Shares work that is running: a call with the key of running work returns the promise of that work and starts nothing.
 * Settled work is not kept.
 */
export function createSharedWork<T>(): (key: string, work: () => Promise<T>) => Promise<T> {
  const running = new Map<string, Promise<T>>()

  return (key, work) => {
    const started = running.get(key) ?? work().finally(() => running.delete(key))
    running.set(key, started)
    return started
  }
}

function withinTimeout(before: Promise<unknown>, timeout: QueueTimeout | undefined): Promise<unknown> {
  if (timeout === undefined) return before
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(timeout.error()), timeout.milliseconds)
    void before.then(resolve).finally(() => clearTimeout(timer))
  })
}
