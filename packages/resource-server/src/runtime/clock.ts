/** A point in time: milliseconds since 1970-01-01T00:00:00Z. Times in tokens are in seconds, and end in `At` without a unit. */
export type EpochMilliseconds = number

/**
 * Tells the time.
 * @defaultValue The system's clock. Tests set another one.
 */
export type Clock = () => EpochMilliseconds

export const systemClock: Clock = () => Date.now()
