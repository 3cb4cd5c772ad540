/** Limits the size of a map: deletes the entries that were inserted first. */
export function forgetOldest(map: Map<unknown, unknown>, atMost: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= atMost) return
    map.delete(oldest)
  }
}

/** A map that keeps the most recently used values and creates missing ones. */
interface RecentMap<Value> {
  get(key: string, make: () => Value): Value
  clear(): void
}

/** @param longest in characters; values with longer keys are not kept, so that the map does not use much memory. */
export function createRecentMap<Value>({ limit, longest = Infinity }: RecentMapLimits): RecentMap<Value> {
  // A map iterates in insertion order: the first key is the least recently used.
  const values = new Map<string, Value>()

  return {
    get(key, make) {
      if (key.length > longest) return make()
      const value = values.get(key) ?? make()
      values.delete(key)
      values.set(key, value)
      forgetOldest(values, limit)
      return value
    },
    clear: () => values.clear(),
  }
}

interface RecentMapLimits {
  readonly limit: number
  readonly longest?: number
}

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

function withinTimeout(before: Promise<unknown>, timeout: QueueTimeout | undefined): Promise<unknown> {
  if (timeout === undefined) return before
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(timeout.error()), timeout.milliseconds)
    void before.then(resolve).finally(() => clearTimeout(timer))
  })
}
