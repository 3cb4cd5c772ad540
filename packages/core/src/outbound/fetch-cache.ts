import { createSharedWork, forgetOldest } from '@mintmark/internal'
import { after, type EpochSeconds, seconds } from '@mintmark/storage-interface'

/**
 * What was fetched, and for how many seconds to cache it. With 0, it is not cached, and the earlier value stays in the
 * cache.
 */
export interface Fetched<Value> {
  readonly value: Value
  readonly keepFor: number
}

/**
 * Creates a cache of fetched values by URL. Simultaneous reads of a URL share one fetch, which receives the expired
 * value.
 * @param limit the maximum number of cached URLs. Beyond it, the oldest are removed.
 */
export function createFetchCache<Value>(
  limit: number,
): (url: string, now: EpochSeconds, fetch: (expired: Value | undefined) => Promise<Fetched<Value>>) => Promise<Value> {
  const cached = new Map<string, { readonly value: Value; readonly expiresAt: EpochSeconds }>()
  const share = createSharedWork<Value>()

  return async (url, now, fetch) => {
    const known = cached.get(url)
    if (known !== undefined && now < known.expiresAt) return known.value
    return share(url, async () => {
      const { value, keepFor } = await fetch(known?.value)
      if (keepFor === 0) return value
      cached.delete(url)
      cached.set(url, { value, expiresAt: after(now, seconds(keepFor)) })
      forgetOldest(cached, limit)
      return value
    })
  }
}
