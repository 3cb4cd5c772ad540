import type { Clock, EpochMilliseconds } from './clock.ts'

/**
 * Runs a task one at a time and not too often: whoever asks while it runs waits for that run, and whoever asks within
 * the pause (in milliseconds, from the start of the last run) is given what that run gave, or its error.
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

  return async (pause) => {
    const now = clock()
    if (latest === undefined || !(isRunning || isWithin(latest.startedAt, pause, now)))
      latest = { startedAt: now, done: run() }
    return latest.done
  }
}

/** Whether less than so many milliseconds have passed. When a clock was set back, nobody knows, and the answer is no. */
export const isWithin = (since: EpochMilliseconds, duration: number, now: EpochMilliseconds): boolean =>
  now >= since && now < since + duration
