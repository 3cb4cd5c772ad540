import * as base64url from 'jose/base64url'

/** A point in time: milliseconds since 1970-01-01T00:00:00Z. Times in tokens are in seconds. */
export type EpochMilliseconds = number

/**
 * Returns the time in milliseconds since 1970.
 * @defaultValue The system's clock. Tests use another clock.
 */
export type Clock = () => EpochMilliseconds

export const systemClock: Clock = () => Date.now()

/**
 * Returns as many unpredictable bytes as requested.
 * @defaultValue Web Crypto. Tests use known bytes.
 */
export type Random = (byteCount: number) => Uint8Array

export const systemRandom: Random = (byteCount) => crypto.getRandomValues(new Uint8Array(byteCount))

/** Returns 128 random bits in base64url. A response repeats them, which proves that it belongs to this request. */
export const randomNonce = (random: Random): string => base64url.encode(random(16))

/** Returns the SHA-256 digest of the bytes, or of the string's UTF-8 bytes, in base64url. */
export async function digest(data: string | Uint8Array): Promise<string> {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : new Uint8Array(data)
  return base64url.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}

/** Waits for the given number of milliseconds, or until the signal aborts. */
export const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted || milliseconds <= 0) return resolve()
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, milliseconds)
    signal.addEventListener('abort', done)
  })

/**
 * Limits how often a task runs. The returned function starts the task, unless the task is running or last started within
 * the given pause, in milliseconds. In those cases it returns the result or the error of that run.
 */
export function throttle(task: () => Promise<void>, clock: Clock): (pause: number) => Promise<void> {
  let latest: { readonly startedAt: EpochMilliseconds; readonly done: Promise<void> } | undefined
  let isRunning = false
  const run = async (): Promise<void> => {
    isRunning = true
    try {
      await task()
    } finally {
      isRunning = false
    }
  }

  return async (minimumPause) => {
    const now = clock()
    if (latest === undefined || !(isRunning || isWithin(latest.startedAt, minimumPause, now)))
      latest = { startedAt: now, done: run() }
    return latest.done
  }
}

/**
 * Tells whether less than `duration` milliseconds have passed. Returns false when the clock was set back, because the
 * elapsed time is then unknown.
 */
export const isWithin = (since: EpochMilliseconds, duration: number, now: EpochMilliseconds): boolean =>
  now >= since && now < since + duration
