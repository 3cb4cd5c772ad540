import { seconds, StorageUnavailableError } from '@mintmark/storage-interface'

import type { RateLimiter, RateQuota } from './rate-limiter.ts'

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
