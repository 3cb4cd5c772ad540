/** A map that keeps the most recently used values and makes missing ones. */
interface RecentMap<Value> {
  get(key: string, make: () => Value): Value
  clear(): void
}

export function createRecentMap<Value>({ limit }: { readonly limit: number }): RecentMap<Value> {
  // A map iterates in insertion order: the first key is the least recently used.
  const kept = new Map<string, Value>()

  return {
    get(key, make) {
      const value = kept.get(key) ?? make()
      kept.delete(key)
      kept.set(key, value)
      const [oldest] = kept.keys()
      if (kept.size > limit && oldest !== undefined) kept.delete(oldest)
      return value
    },
    clear: () => kept.clear(),
  }
}
