import { forgetOldest } from '@mintmark/internal'
import { after, type EpochSeconds, seconds } from '@mintmark/storage-interface'

/** What was fetched, and for how many seconds it is kept; with 0 the earlier value stays. */
export interface Fetched<Value> {
  readonly value: Value
  readonly keepFor: number
}

/**
 * Creates a cache of what is at URLs. One URL is fetched once at a time, also when many requests need it.
 * @param limit how many URLs are kept, the latest ones.
 */
export function createFetchCache<Value>(
  limit: number,
): (url: string, now: EpochSeconds, fetch: (expired: Value | undefined) => Promise<Fetched<Value>>) => Promise<Value> {
  const kept = new Map<string, { readonly value: Value; readonly expiresAt: EpochSeconds }>()
  const pending = new Map<string, Promise<Value>>()

  return async (url, now, fetch) => {
    const known = kept.get(url)
    if (known !== undefined && now < known.expiresAt) return known.value
    const running = pending.get(url)
    if (running !== undefined) return running
    const reading = fetch(known?.value)
      .then(({ value, keepFor }) => {
        if (keepFor === 0) return value
        kept.delete(url)
        kept.set(url, { value, expiresAt: after(now, seconds(keepFor)) })
        forgetOldest(kept, limit)
        return value
      })
      .finally(() => pending.delete(url))
    pending.set(url, reading)
    return reading
  }
}
