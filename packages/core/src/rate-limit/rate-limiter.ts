import { seconds, type DurationSeconds, type EpochSeconds } from '@mintmark/storage-interface'

import { forgetOldest } from '@mintmark/internal'

/** Whether one more is allowed; if not, after how many seconds it is worth another try. */
export type RateDecision = (
  { readonly allowed: true } | { readonly allowed: false; readonly retryAfter: DurationSeconds }
) & { readonly quota?: RateQuota | undefined }

/** What is left of a limit, for whoever slows down when it is told. */
export interface RateQuota {
  readonly limit: number
  readonly remaining: number
  readonly resetAfter: DurationSeconds
}

/** Counts attempts by key. A limiter over Redis or a database makes several servers count together. */
export interface RateLimiter {
  consume(key: string, now: EpochSeconds): Promise<RateDecision>
}

/**
 * A limiter in this process's memory: at most `points` in each window of `window` seconds. It remembers 10,000 keys and
 * forgets the oldest, so that keys made up by an attacker do not fill the memory.
 */
export function createMemoryRateLimiter(limit: {
  /** How many attempts a key has in a window. */
  readonly points: number
  /** In seconds. */
  readonly window: number
}): RateLimiter {
  const counts = new Map<string, { readonly startedAt: EpochSeconds; readonly count: number }>()

  return {
    consume(key, now) {
      const known = counts.get(key)
      // Not before it began either: where the clock is set back by an hour, nobody has to wait for that hour.
      const isOpen = known !== undefined && now >= known.startedAt && now < known.startedAt + limit.window
      const window = isOpen ? { startedAt: known.startedAt, count: known.count + 1 } : { startedAt: now, count: 1 }
      counts.delete(key)
      counts.set(key, window)
      forgetOldest(counts, maxKeys)
      const resetAfter = seconds(window.startedAt + limit.window - now)
      const quota = { limit: limit.points, remaining: Math.max(limit.points - window.count, 0), resetAfter }
      if (window.count <= limit.points) return Promise.resolve({ allowed: true, quota })
      return Promise.resolve({ allowed: false, retryAfter: resetAfter, quota })
    },
  }
}

const maxKeys = 10_000
