import { epochSeconds, type EpochSeconds } from '@mintmark/storage-interface'

/**
 * Tells the time. It is asked once per request, and the answer is passed down as `now`.
 * @defaultValue The system's clock. Tests set another one.
 */
export type Clock = () => EpochSeconds

export const systemClock: Clock = () => epochSeconds(Date.now() / 1000)

/** Whether to record that a secret was used. Recording it once an hour keeps authentication free of writes. */
export const isSecretUseDue = (lastUsedAt: EpochSeconds | undefined, now: EpochSeconds): boolean =>
  lastUsedAt === undefined || now - lastUsedAt >= 3600
