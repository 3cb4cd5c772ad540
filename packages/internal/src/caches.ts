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

/** @param maxKeyLength in characters; values with longer keys are not kept, so that the map does not use much memory. */
export function createRecentMap<Value>({ limit, maxKeyLength = Infinity }: RecentMapLimits): RecentMap<Value> {
  // A map iterates in insertion order: the first key is the least recently used.
  const values = new Map<string, Value>()

  return {
    get(key, make) {
      if (key.length > maxKeyLength) return make()
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
  readonly maxKeyLength?: number
}

/**
 * Caches the latest result of asynchronous work. Calls share the work while it runs. A failure is not cached: after an
 * outage, the next call starts the work again.
 */
export function cacheLatest<Value, Key = void>(work: (key: Key) => Promise<Value>): (key: Key) => Promise<Value> {
  let latest: { readonly key: Key; readonly result: Promise<Value> } | undefined

  return (key) => {
    if (latest !== undefined && latest.key === key) return latest.result
    const started = { key, result: work(key) }
    latest = started
    started.result.catch(() => {
      if (latest === started) latest = undefined
    })
    return started.result
  }
}
