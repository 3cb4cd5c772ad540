import { anObjectWith, checkOptions, required, wholeNumber } from '@mintmark/internal'
import {
  type DurationSeconds,
  type EpochSeconds,
  epochSeconds,
  seconds,
  StorageUnavailableError,
} from '@mintmark/storage-interface'

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
  /**
   * Gives back the attempt that was counted at this time, because it turned out to be legitimate. A limiter without this
   * method counts legitimate attempts too.
   */
  giveBack?(key: string, countedAt: EpochSeconds): Promise<void>
}

/**
 * Creates a limiter in this process's memory, with at most `points` attempts in each window of `window` seconds. It
 * counts the 10,000 most recently used keys individually, and older keys in 65,536 counters that keys share. Invented
 * keys can therefore neither fill the memory nor make the limiter forget a key.
 */
export function createMemoryRateLimiter(limit: {
  /** The number of attempts that a key has in a window. */
  readonly points: number
  /** The length of a window, in seconds. */
  readonly window: number
}): RateLimiter {
  checkOptions('createMemoryRateLimiter', limit, {
    points: required(wholeNumber(1)),
    window: required(wholeNumber(1)),
  })
  const counts = new Map<string, Window>()
  const shared = createSharedCounters()
  // A time before the window's start also starts a new window: if the clock is set back by an hour, no caller has to wait
  // for that hour.
  const isOpen = (known: Window | undefined, now: EpochSeconds): known is Window =>
    known !== undefined && now >= known.startedAt && now < known.startedAt + limit.window

  return {
    consume(key, now, points = 1) {
      const known = counts.get(key) ?? shared.get(key)
      const window = isOpen(known, now)
        ? { startedAt: known.startedAt, count: known.count + points }
        : { startedAt: now, count: points }
      counts.delete(key)
      counts.set(key, window)
      for (const [oldest, forgotten] of counts) {
        if (counts.size <= maxKeys) break
        counts.delete(oldest)
        const other = shared.get(oldest)
        const isMore = !isOpen(other, now) || other.count < forgotten.count
        if (isOpen(forgotten, now) && isMore) shared.set(oldest, forgotten)
      }
      const resetAfter = seconds(window.startedAt + limit.window - now)
      const quota = { limit: limit.points, remaining: Math.max(limit.points - window.count, 0), resetAfter }
      if (window.count <= limit.points) return Promise.resolve({ allowed: true, quota })
      return Promise.resolve({ allowed: false, retryAfter: resetAfter, quota })
    },
    giveBack(key, countedAt) {
      const known = counts.get(key)
      if (isOpen(known, countedAt)) counts.set(key, { ...known, count: Math.max(known.count - 1, 0) })
      return Promise.resolve()
    },
  }
}

const maxKeys = 10_000

interface Window {
  readonly startedAt: EpochSeconds
  readonly count: number
}

/** Creates counters that keys share, by a hash of the key. Memory is allocated when the first counter is set. */
function createSharedCounters(): {
  get(key: string): Window | undefined
  set(key: string, window: Window): void
} {
  let counts: Uint32Array | undefined
  let starts: Float64Array | undefined

  return {
    get(key) {
      const at = bucketOf(key, sharedCounters)
      const count = counts?.[at] ?? 0
      return count === 0 ? undefined : { startedAt: epochSeconds(starts?.[at] ?? 0), count }
    },
    set(key, { startedAt, count }) {
      counts ??= new Uint32Array(sharedCounters)
      starts ??= new Float64Array(sharedCounters)
      const at = bucketOf(key, sharedCounters)
      counts[at] = count
      starts[at] = startedAt
    },
  }
}

const sharedCounters = 65_536

/** Returns a hash of the string that is below `buckets`. FNV-1a suffices, because no secret depends on it. */
export function bucketOf(text: string, buckets: number): number {
  let hash = 0x811c9dc5
  for (const char of text.slice(0, 256)) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193)
  return (hash >>> 0) % buckets
}

/** The members of a limiter of `rate-limiter-flexible` that Mintmark uses. */
export interface FlexibleLimiter {
  /** The number of attempts allowed in a window. */
  readonly points?: number
  consume(key: string, points?: number): Promise<unknown>
  /** Gives points back. */
  reward?(key: string, points?: number): Promise<unknown>
}

/**
 * Adapts a limiter of `rate-limiter-flexible`, over Redis, PostgreSQL or another store that it supports. While its
 * store is down, requests that it counts are answered with 503; give the limiter an `insuranceLimiter` to count in
 * memory meanwhile.
 * @throws TypeError when it is not a limiter.
 */
export function toRateLimiter(limiter: FlexibleLimiter): RateLimiter {
  const problem = aRateLimiter(limiter)
  if (problem !== undefined) throw new TypeError(`toRateLimiter: the limiter ${problem}.`)
  return {
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
    async giveBack(key) {
      try {
        await limiter.reward?.(key, 1)
      } catch {
        // The attempt stays counted. That is safe, and a legitimate sign-in must not fail because of it.
      }
    },
  }
}

export const aRateLimiter = anObjectWith('consume')

interface Count {
  readonly msBeforeNext: number
  readonly remainingPoints?: unknown
}

const isCount = (value: unknown): value is Count =>
  typeof value === 'object' && value !== null && 'msBeforeNext' in value && typeof value.msBeforeNext === 'number'

/** Returns the quota; `undefined` for a union of limiters, which has no limit of its own. */
function quotaOf(count: Count, { points }: FlexibleLimiter): RateQuota | undefined {
  if (points === undefined || typeof count.remainingPoints !== 'number') return undefined
  return { limit: points, remaining: Math.max(count.remainingPoints, 0), resetAfter: wholeSeconds(count) }
}

/**
 * Returns at least one second: 0 would invite an immediate retry, and the package returns -1 for a key that is blocked
 * permanently.
 */
const wholeSeconds = ({ msBeforeNext }: Count) => seconds(Math.max(Math.ceil(msBeforeNext / 1000), 1))
