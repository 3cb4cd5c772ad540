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
 * Why a session was ended: its user signed out or ended it on a page, a client requested it (OIDC RP-Initiated Logout
 * 1.0), the host or an administrator ended it, or another sign-in in the same browser replaced it.
 */
const endReason = oneOf('user', 'client', 'host', 'administrator', 'replaced')

/** Sessions: Mintmark's own sessions, which have a cookie, and sessions of the host in which a client received a code. */
export const sessions = defineRecord('sessions', {
  /** The `sid` claim (OIDC Front-Channel Logout 1.0 §3). */
  sessionId: key(id(sessionId)),
  /** `undefined` only in a tombstone: the host ended a session that was never stored. */
  userId: optional(id(userId)),
  /** The user's `generation` at sign-in. A session with a cookie is not active if the user has a later generation. */
  userGeneration: integer,
  /** Digest of the cookie's secret; `undefined` for a session of the host. */
  digest: optional(id(secretDigest)),
  authTime: time,
  acr: optional(text),
  amr: list(text),
  /** The browser's `User-Agent`, cut to a bounded length. */
  userAgent: optional(text),
  /** Where the user is, as the host describes it. */
  location: optional(text),
  createdAt: time,
  /** Updated when the session is used, at most once a minute. */
  lastSeenAt: time,
  /** Extended when the session is used; `undefined` for a session of the host, because only the host knows when it expires. */
  idleExpiresAt: optional(time),
  /** Never changes; `undefined` for a session of the host. */
  expiresAt: optional(time),
  /**
   * The row is not purged before this time, even if the session has expired: tokens and clients still refer to it. Each join
   * may extend it.
   */
  keptUntil: time,
  revokedAt: optional(time),
  endReason: optional(endReason),
})

/** A browser in which a user is signed in, or was. */
export interface SessionRecord extends RecordOf<typeof sessions> {}

/** Why a session was ended. */
export type SessionEndReason = NonNullable<SessionRecord['endReason']>

/** The members of a session that decide whether tokens bound to it are active. */
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
  /**
   * Inserted if it is a new session of the host. In a session that is already stored, only `lastSeenAt` and `keptUntil` change,
   * and they never decrease.
   */
  readonly session: Pick<
    SessionRecord,
    'sessionId' | 'userGeneration' | 'authTime' | 'acr' | 'amr' | 'userAgent' | 'location' | 'keptUntil'
  > & { readonly userId: UserId }
  readonly clientId: ClientId
  readonly now: EpochSeconds
}

/** `ended`: the session was revoked. `foreign`: its identifier belongs to another user. Neither changes anything. */
export type SessionJoinOutcome =
  { readonly outcome: 'joined' } | { readonly outcome: 'ended' } | { readonly outcome: 'foreign' }

/** The end of a session. */
export interface SessionEnd {
  readonly sessionId: SessionId
  readonly reason: SessionEndReason
  readonly now: EpochSeconds
  /**
   * If the session is not stored, a tombstone is stored until this time, so that no client can join the session later.
   * `undefined` stores no tombstone.
   */
  readonly tombstoneUntil: EpochSeconds | undefined
}

/** Sessions, and the clients that joined them. A session with a cookie is read through `StatusStore.ofSession`. */
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
   * Law: the old cookie no longer finds a session. `absent` if the session is unknown, was revoked or belongs to another user.
   * `UPDATE sessions SET digest = ?, auth_time = ?, … WHERE … AND user_id = ? AND revoked_at IS NULL`
   */
  renew(session: SessionRecord): Promise<{ readonly outcome: 'renewed' | 'absent' }>

  /**
   * Adds a client to a session, in one atomic step with the session itself.
   * Law: after `revoke` has returned, every join is `ended`, and `participants` lists each client that joined before.
   * `INSERT INTO sessions … ON CONFLICT (issuer, session_id) DO UPDATE SET kept_until = …, last_seen_at = … WHERE revoked_at IS NULL AND user_id = ?`
   * and, if this wrote a row, the participant in the same transaction.
   */
  join(join: SessionJoin): Promise<SessionJoinOutcome>

  /**
   * Law: a second revocation changes neither the time nor the reason, a revoked session is never active again, and its row
   * stays for `revocationRetention`. The outcome is `revoked` as well when only a tombstone was stored.
   */
  revoke(end: SessionEnd): Promise<RevokeOutcome>

  /** Revokes every unrevoked session of a user, including expired ones. @returns their identifiers. */
  revokeOfUser(userId: UserId, reason: SessionEndReason, now: EpochSeconds): Promise<readonly SessionId[]>

  /** Finds the session even if it was revoked or has expired. */
  find(sessionId: SessionId): Promise<SessionRecord | undefined>

  /**
   * Returns the user's unrevoked and unexpired sessions, newest first. A session of the host is treated as expired once it may
   * be purged.
   */
  listByUser(userId: UserId, now: EpochSeconds): Promise<readonly SessionRecord[]>

  /** Returns the clients that joined a session, revoked or not, in the order of their identifiers. */
  participants(sessionId: SessionId): Promise<readonly SessionParticipantRecord[]>

  /**
   * Returns the clients that joined the user's unrevoked sessions of this generation or an earlier one, even after the user
   * was deactivated or removed. The order is by session identifier, then by client identifier.
   */
  participantsOfUser(userId: UserId, upToGeneration: number): Promise<readonly SessionParticipantRecord[]>
}
