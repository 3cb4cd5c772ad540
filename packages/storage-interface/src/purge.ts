import type { EpochSeconds } from './time.ts'

/** `done` when nothing that may go was left behind: otherwise call again. */
export interface PurgeOutcome {
  readonly removed: number
  readonly done: boolean
}

/** Clears away what no answer depends on any more. */
export interface PurgeStore {
  /**
   * Removes at most `limit` rows: codes, interactions, claims, opaque tokens, token families, sessions and log
   * entries that have expired, grants that were revoked, and endings after `endingsKeptFor`. Call it now and then until it is `done`,
   * on any number of servers: it may be cut off anywhere, and the next call goes on. Of endings a database that knows the time goes by
   * its own clock where `now` is ahead of it: one server with a wrong clock removes none that the others have yet to read.
   * Law: nothing that is honoured is removed, and what was refused before is refused after. The identifiers of removed
   * accounts stay taken.
   * `DELETE FROM codes WHERE (issuer, digest) IN (SELECT issuer, digest FROM codes WHERE issuer = ? AND expires_at <= ? LIMIT ?)`
   * @param request `limit` is a number of rows, at least 1; it bounds the time that a call takes.
   */
  purgeExpired(request: { readonly now: EpochSeconds; readonly limit: number }): Promise<PurgeOutcome>
}
