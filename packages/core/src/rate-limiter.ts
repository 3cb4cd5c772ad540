import { forgetOldest } from '@mintmark/internal'
import { type DurationSeconds, type EpochSeconds, seconds, StorageUnavailableError } from '@mintmark/storage-interface'

/** Whether one more is allowed; if not, after how many seconds it is worth another try. */
export type RateDecision = (
  { readonly allowed: true } | { readonly allowed: false; readonly retryAfter: DurationSeconds }
) & { readonly quota?: RateQuota | undefined }

/** What is left of a limit, for whoever slows down when it is told. */
interface RateQuota {
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

/** What is asked of a limiter of the package `rate-limiter-flexible`. */
export interface FlexibleLimiter {
  /** How many it allows in a window. */
  readonly points?: number
  consume(key: string): Promise<unknown>
}

/**
 * Uses a limiter of `rate-limiter-flexible`, over Redis, PostgreSQL or whatever else it supports. While its store is down,
 * what it counts is answered with 503; give the limiter an `insuranceLimiter` to count in memory meanwhile.
 */
export const toRateLimiter = (limiter: FlexibleLimiter): RateLimiter => ({
  async consume(key) {
    try {
      const counted = await limiter.consume(key)
      return { allowed: true, quota: isCount(counted) ? quotaOf(counted, limiter) : undefined }
    } catch (error) {
      // The package throws a count when the limit is reached, and an Error without one when its store fails.
      if (!isCount(error)) throw new StorageUnavailableError('The rate limiter cannot count', { cause: error })
      return { allowed: false, retryAfter: wholeSeconds(error), quota: quotaOf(error, limiter) }
    }
  },
})

interface Count {
  readonly msBeforeNext: number
  readonly remainingPoints?: unknown
}

const isCount = (value: unknown): value is Count =>
  typeof value === 'object' && value !== null && 'msBeforeNext' in value && typeof value.msBeforeNext === 'number'

/** Of a union of limiters it cannot be told. */
function quotaOf(count: Count, { points }: FlexibleLimiter): RateQuota | undefined {
  if (points === undefined || typeof count.remainingPoints !== 'number') return undefined
  return { limit: points, remaining: Math.max(count.remainingPoints, 0), resetAfter: wholeSeconds(count) }
}

/** At least one: 0 would ask for another try at once, and of a key that is blocked for good the package says -1. */
const wholeSeconds = ({ msBeforeNext }: Count) => seconds(Math.max(Math.ceil(msBeforeNext / 1000), 1))
