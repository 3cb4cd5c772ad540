import { checkOptions, forgetOldest, wholeNumber } from '@mintmark/internal'
import { type DurationSeconds, type EpochSeconds, seconds, StorageUnavailableError } from '@mintmark/storage-interface'

/** Whether the attempt is allowed; if not, how many seconds to wait before a retry. */
export type RateDecision = (
  { readonly allowed: true } | { readonly allowed: false; readonly retryAfter: DurationSeconds }
) & { readonly quota?: RateQuota | undefined }

/** What is left of the limit, for callers that adapt their rate to it. */
interface RateQuota {
  readonly limit: number
  readonly remaining: number
  readonly resetAfter: DurationSeconds
}

/** Counts attempts by key. With a limiter over Redis or a database, several servers share the counts. */
export interface RateLimiter {
  /** @param points how many attempts to count; 1 by default. */
  consume(key: string, now: EpochSeconds, points?: number): Promise<RateDecision>
}

/**
 * A limiter in this process's memory: at most `points` in each window of `window` seconds. It remembers 10,000 keys and
 * forgets the oldest, so that an attacker cannot fill the memory with invented keys.
 */
export function createMemoryRateLimiter(limit: {
  /** How many attempts a key has in a window. */
  readonly points: number
  /** In seconds. */
  readonly window: number
}): RateLimiter {
  checkOptions('createMemoryRateLimiter', limit, { points: wholeNumber(1), window: wholeNumber(1) })
  const counts = new Map<string, { readonly startedAt: EpochSeconds; readonly count: number }>()

  return {
    consume(key, now, points = 1) {
      const known = counts.get(key)
      // A time before the window's start also starts a new window: if the clock is set back by an hour, no caller has
      // to wait for that hour.
      const isOpen = known !== undefined && now >= known.startedAt && now < known.startedAt + limit.window
      const window = isOpen
        ? { startedAt: known.startedAt, count: known.count + points }
        : { startedAt: now, count: points }
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

/** The part of a limiter of `rate-limiter-flexible` that is needed. */
export interface FlexibleLimiter {
  /** The number of attempts allowed in a window. */
  readonly points?: number
  consume(key: string, points?: number): Promise<unknown>
}

/**
 * Adapts a limiter of `rate-limiter-flexible`, over Redis, PostgreSQL or another store that it supports. While its
 * store is down, requests that it counts are answered 503; give the limiter an `insuranceLimiter` to count in memory
 * meanwhile.
 */
export const toRateLimiter = (limiter: FlexibleLimiter): RateLimiter => ({
  async consume(key, _, points) {
    try {
      const counted = await limiter.consume(key, points)
      return { allowed: true, quota: isCount(counted) ? quotaOf(counted, limiter) : undefined }
    } catch (error) {
      // The package throws a result when the limit is reached, and an Error when its store fails.
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

/** Undefined for a union of limiters. */
function quotaOf(count: Count, { points }: FlexibleLimiter): RateQuota | undefined {
  if (points === undefined || typeof count.remainingPoints !== 'number') return undefined
  return { limit: points, remaining: Math.max(count.remainingPoints, 0), resetAfter: wholeSeconds(count) }
}

/**
 * At least one second: 0 would invite an immediate retry, and the package returns -1 for a key that is blocked
 * permanently.
 */
const wholeSeconds = ({ msBeforeNext }: Count) => seconds(Math.max(Math.ceil(msBeforeNext / 1000), 1))
