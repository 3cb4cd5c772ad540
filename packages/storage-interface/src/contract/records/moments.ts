import { epochSeconds, type EpochSeconds } from '../../time.ts'

/** The moment at which the builders' records are made. It has passed: a database that knows the time purges only endings of which that is true. */
export const now: EpochSeconds = epochSeconds(1_700_000_000)

/** So many seconds after `now`; before it when negative. */
export const nowPlus = (secondsLater: number): EpochSeconds => epochSeconds(now + secondsLater)
