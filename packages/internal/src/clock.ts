import { epochSeconds, type EpochSeconds } from '@mintmark/storage-interface'

/**
 * Returns the current time. A request reads it once and passes it on as `now`.
 * @defaultValue The system clock. Tests pass their own.
 */
export type Clock = () => EpochSeconds

export const systemClock: Clock = () => epochSeconds(Date.now() / 1000)

/** Whether to record that a secret was used. Recording it once an hour keeps authentication free of writes. */
export const isSecretUseDue = (lastUsedAt: EpochSeconds | undefined, now: EpochSeconds): boolean =>
  lastUsedAt === undefined || now - lastUsedAt >= 3600

/** Milliseconds on a monotonic clock, for measuring durations. Changes of the system clock do not affect it. */
export const elapsed = (): number => performance.now()
