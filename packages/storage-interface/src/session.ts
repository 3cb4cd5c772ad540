import {
  clientId,
  secretDigest,
  sessionId,
  userId,
  type ClientId,
  type SecretDigest,
  type SessionId,
  type UserId,
  type EpochSeconds,
} from './values.ts'
import type { RevokeOutcome, InsertOutcome } from './outcome.ts'
import {
  defineRecord,
  id,
  integer,
  key,
  list,
  oneOf,
  optional,
  text,
  time,
  type RecordOf,
} from './records/define-record.ts'

/**
 * Why a session was ended: its user signed out or ended it on a page, a client asked for it (OIDC RP-Initiated Logout
 * 1.0), the host's code did, an administrator did, or another sign-in in the same browser replaced it.
 */
const endReason = oneOf('user', 'client', 'host', 'administrator', 'replaced')

/** Sessions: those with a cookie of ours, and those of the host in which a client received a code. */
export const sessions = defineRecord('sessions', {
  /** The `sid` claim (OIDC Front-Channel Logout 1.0 §3). */
  sessionId: key(id(sessionId)),
  /** `undefined` only in a tombstone: the host ended a session that was never stored. */
  userId: optional(id(userId)),
  /** The user's `generation` at sign-in. A session with a cookie is dead when the user has a later one. */
  userGeneration: integer,
  /** Digest of the cookie's secret; `undefined` for a session of the host. */
  digest: optional(id(secretDigest)),
  authTime: time,
  acr: optional(text),
  amr: list(text),
  /** The browser's `User-Agent`, cut to a bounded length. */
  userAgent: optional(text),
  /** Where the user is, in the host's words. */
  location: optional(text),
  createdAt: time,
  /** Moves with use, at most once a minute. */
  lastSeenAt: time,
  /** Moves with use; `undefined` for a session of the host, which alone knows when it expires. */
  idleExpiresAt: optional(time),
  /** Never moves; `undefined` for a session of the host. */
  expiresAt: optional(time),
  /** Until then the row stays, also after the session has expired: tokens and clients still refer to it. Each join moves it. */
  keptUntil: time,
  revokedAt: optional(time),
  endReason: optional(endReason),
})

/** A browser in which a user is signed in, or was. */
export interface SessionRecord extends RecordOf<typeof sessions> {}

/** Why a session was ended. */
export type SessionEndReason = NonNullable<SessionRecord['endReason']>

/** What decides whether tokens that are bound to a session are active. */
export const boundSessions = defineRecord('sessions', {
  sessionId: key(id(sessionId)),
  userId: optional(id(userId)),
  revokedAt: optional(time),
})

/** The part of a session that tokens bound to it depend on. */
export interface BoundSession extends RecordOf<typeof boundSessions> {}

/** The clients that received a code in a session. */
export const sessionParticipants = defineRecord('sessionParticipants', {
  sessionId: key(id(sessionId)),
  clientId: key(id(clientId)),
  firstAt: time,
  lastAt: time,
})

/** A client that a user signed in to during a session. Logout tokens go to these clients (OIDC Back-Channel Logout 1.0 §2). */
export interface SessionParticipantRecord extends RecordOf<typeof sessionParticipants> {}

/** A client that is about to receive a code in a session. */
export interface SessionJoin {
  /** Stored if the session is a new one of the host. Of a stored one only `lastSeenAt` and `keptUntil` move, and never back. */
  readonly session: Pick<
    SessionRecord,
    'sessionId' | 'userGeneration' | 'authTime' | 'acr' | 'amr' | 'userAgent' | 'location' | 'keptUntil'
  > & { readonly userId: UserId }
  readonly clientId: ClientId
  readonly now: EpochSeconds
}

/** `ended`: the session was revoked. `foreign`: its identifier belongs to another user. Nothing was changed then. */
export type SessionJoinOutcome =
  { readonly outcome: 'joined' } | { readonly outcome: 'ended' } | { readonly outcome: 'foreign' }

/** The end of a session. */
export interface SessionEnd {
  readonly sessionId: SessionId
  readonly reason: SessionEndReason
  readonly now: EpochSeconds
  /** A session that is not stored gets a tombstone until then, so that no client joins it later; `undefined` for none. */
  readonly tombstoneUntil: EpochSeconds | undefined
}

/** Sessions, and the clients that take part in them. A session with a cookie is read through `StatusStore.ofSession`. */
export interface SessionStore {
  insert(session: SessionRecord): Promise<InsertOutcome>

  /**
   * Records the use of an unrevoked session with a cookie; the write may be lost.
   * `UPDATE sessions SET idle_expires_at = ?, last_seen_at = ? WHERE … AND revoked_at IS NULL`
   */
  touch(
    digest: SecretDigest,
    use: { readonly idleExpiresAt: EpochSeconds; readonly lastSeenAt: EpochSeconds },
  ): Promise<void>

  /**
   * Gives an unrevoked session of the same user a new cookie and a new sign-in; its clients stay in it.
   * Law: the old cookie finds nothing from then on. `absent` for a session that was revoked, is unknown or another user's.
   * `UPDATE sessions SET digest = ?, auth_time = ?, … WHERE … AND user_id = ? AND revoked_at IS NULL`
   */
  renew(session: SessionRecord): Promise<{ readonly outcome: 'renewed' | 'absent' }>

  /**
   * Adds a client to a session, in one atomic step with the session itself.
   * Law: once `revoke` has answered, every later join is `ended`, and each client that joined before is in
   * `participants`.
   * `INSERT INTO sessions … ON CONFLICT (issuer, session_id) DO UPDATE SET kept_until = …, last_seen_at = … WHERE revoked_at IS NULL AND user_id = ?`
   * and, if that has written a row, the participant in the same transaction.
   */
  join(join: SessionJoin): Promise<SessionJoinOutcome>

  /**
   * Law: the first revocation's time and reason stay, a revoked session is never active again, and its row stays for
   * `revocationRetention`. A tombstone counts as `revoked`.
   */
  revoke(end: SessionEnd): Promise<RevokeOutcome>

  /** Revokes every unrevoked session of a user, expired ones as well. @returns their identifiers. */
  revokeOfUser(userId: UserId, reason: SessionEndReason, now: EpochSeconds): Promise<readonly SessionId[]>

  /** The session, also when it was revoked or has expired. */
  find(sessionId: SessionId): Promise<SessionRecord | undefined>

  /**
   * The user's unrevoked and unexpired sessions, newest first. A session of the host counts as expired when it may be
   * purged.
   */
  listByUser(userId: UserId, now: EpochSeconds): Promise<readonly SessionRecord[]>

  /** The clients that joined a session, revoked or not, in the order of their identifiers. */
  participants(sessionId: SessionId): Promise<readonly SessionParticipantRecord[]>

  /**
   * The clients that joined the unrevoked sessions of a user of this generation or an earlier one, also after the user
   * was deactivated or removed; in the order of sessions and clients.
   */
  participantsOfUser(userId: UserId, upToGeneration: number): Promise<readonly SessionParticipantRecord[]>
}
