import type { Brand } from './identifiers.ts'

/** A point in time: whole seconds since 1970-01-01T00:00:00Z, as JWT's NumericDate counts (RFC 7519 §2). */
export type EpochSeconds = Brand<number, 'EpochSeconds'>

/** A length of time in whole seconds. */
export type DurationSeconds = Brand<number, 'DurationSeconds'>

/** Reads a number of seconds since the epoch as a time; fractions are cut off. */
export const epochSeconds = (value: number): EpochSeconds => Math.trunc(value) as EpochSeconds

/** Reads a number of seconds as a duration; fractions are cut off. */
export const seconds = (value: number): DurationSeconds => Math.trunc(value) as DurationSeconds

/** The time that lies `duration` after `time`. */
export const after = (time: EpochSeconds, duration: DurationSeconds): EpochSeconds => epochSeconds(time + duration)
