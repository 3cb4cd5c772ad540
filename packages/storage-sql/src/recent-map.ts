/** Values that are made when they are first asked for, of which so many are kept as have been asked for lately. */
interface RecentMap<Value> {
  get(key: string, make: () => Value): Value
  clear(): void
}

export function createRecentMap<Value>({ limit }: { readonly limit: number }): RecentMap<Value> {
  // A map keeps the order of insertion: the first is the one that nobody has asked for longest.
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
