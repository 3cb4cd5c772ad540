import type { EpochSeconds } from '@mintmark/storage-interface'

/** A point in time as a dateTime (RFC 7643 §2.3.5), in UTC. */
export const instantText = (at: EpochSeconds): string => new Date(at * 1000).toISOString()
