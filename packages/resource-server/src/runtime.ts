import * as base64url from 'jose/base64url'

/** A point in time: milliseconds since 1970-01-01T00:00:00Z. Times in tokens are in seconds. */
export type EpochMilliseconds = number

/**
 * Tells the time, in milliseconds since 1970.
 * @defaultValue The system's clock. Tests set another one.
 */
export type Clock = () => EpochMilliseconds

export const systemClock: Clock = () => Date.now()

/**
 * Returns that many unpredictable bytes.
 * @defaultValue Web Crypto's. Tests use bytes that they know.
 */
export type Random = (byteCount: number) => Uint8Array

export const systemRandom: Random = (byteCount) => crypto.getRandomValues(new Uint8Array(byteCount))

/** 128 random bits, base64url: a response must repeat it to be the response to this request. */
export const randomNonce = (random: Random): string => base64url.encode(random(16))

/** SHA-256 of the bytes, or of the text's UTF-8 bytes, base64url. */
export async function digest(data: string | Uint8Array): Promise<string> {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : new Uint8Array(data)
  return base64url.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}

/** Waits for so many milliseconds; less when the signal aborts. */
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
 * Runs a task one at a time and not too often. Callers during a run wait for that run. Callers within the pause (in
 * milliseconds, from the start of the last run) get its result or its error.
 */
export function spaced(task: () => Promise<void>, clock: Clock): (pause: number) => Promise<void> {
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

/** Whether less than so many milliseconds have passed. False when the clock was set back, because then nothing is known. */
export const isWithin = (since: EpochMilliseconds, duration: number, now: EpochMilliseconds): boolean =>
  now >= since && now < since + duration
