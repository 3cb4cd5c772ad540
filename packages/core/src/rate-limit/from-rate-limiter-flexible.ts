import { seconds, StorageUnavailableError } from '@mintmark/storage-interface'

import type { RateLimiter } from './rate-limiter.ts'

/** What is asked of a limiter of the package `rate-limiter-flexible`. */
export interface FlexibleLimiter {
  consume(key: string): Promise<unknown>
}

/**
 * Uses a limiter of `rate-limiter-flexible`, over Redis, PostgreSQL or whatever else it supports. While its store is down,
 * what it counts is answered with 503; give the limiter an `insuranceLimiter` to count in memory meanwhile.
 */
export const fromRateLimiterFlexible = (limiter: FlexibleLimiter): RateLimiter => ({
  async consume(key) {
    try {
      await limiter.consume(key)
      return { allowed: true }
    } catch (error) {
      // The package throws a result that names the wait when the limit is reached, and an Error when its store fails.
      if (!isLimitReached(error)) throw new StorageUnavailableError('The rate limiter cannot count', { cause: error })
      return { allowed: false, retryAfter: seconds(Math.ceil(error.msBeforeNext / 1000)) }
    }
  },
})

const isLimitReached = (error: unknown): error is { readonly msBeforeNext: number } =>
  typeof error === 'object' && error !== null && 'msBeforeNext' in error && typeof error.msBeforeNext === 'number'
