import type { Brand, ClientRecord, EpochSeconds, UserRecord } from '@mintmark/storage-interface'
import type {
  BoundSession,
  FamilyStatus,
  GrantStatus,
  Possession,
  SessionId,
  SessionStatus,
} from '@mintmark/storage-interface/stores'

/** A user who is active and of the same generation as the record that refers to them. Created only in this file. */
export type ActiveUser = Brand<UserRecord, 'ActiveUser'>

/** A status whose rows all exist and are active. */
export type Active<Status extends { client: unknown; user: unknown }> = Status & {
  readonly client: ClientRecord
  readonly user: ActiveUser
}

/**
 * Whether a grant is active: not revoked, its client enabled, its user active and of the generation in which it was
 * granted.
 */
export function isGrantActive(status: GrantStatus | undefined): status is Active<GrantStatus> {
  if (status === undefined) return false
  const { grant, client, user } = status
  if (grant.revokedAt !== undefined || client === undefined || client.disabledAt !== undefined) return false
  return isUserActive(user, grant.userGeneration) && user.userId === grant.userId && client.clientId === grant.clientId
}

/**
 * Whether a token family is active: neither revoked nor expired, with an active grant and, if bound, an active session.
 */
export function isFamilyActive(status: FamilyStatus | undefined, now: EpochSeconds): status is Active<FamilyStatus> {
  if (status?.grant === undefined) return false
  const { family, grant, client, user, session } = status
  if (!isBindingActive(family, session)) return false
  if (family.revokedAt !== undefined || !(now < family.expiresAt) || family.grantId !== grant.grantId) return false
  return isGrantActive({ grant, client, user, session })
}

/**
 * Whether a code or a family may be used as far as its session is concerned: it is bound to no session, or to a session
 * that was not revoked (OIDC Back-Channel Logout 1.0 §2.7). A missing session is treated as revoked, because the row of
 * a session is kept for as long as anything is bound to it.
 */
export const isBindingActive = (
  { boundSessionId, userId }: { readonly boundSessionId: SessionId | undefined; readonly userId: UserRecord['userId'] },
  session: BoundSession | undefined,
): boolean =>
  boundSessionId === undefined ||
  (session?.sessionId === boundSessionId && session.userId === userId && session.revokedAt === undefined)

/**
 * Whether one of Mintmark's own sessions is active: neither revoked nor expired, and its user is active and still of the
 * generation that signed in. A session of the host has no expiry, so the result is `false`.
 */
export function isSessionActive(status: SessionStatus | undefined, now: EpochSeconds): status is SessionStatus {
  if (status === undefined) return false
  const { session, user } = status
  const { revokedAt, expiresAt, idleExpiresAt } = session
  if (revokedAt !== undefined || expiresAt === undefined || idleExpiresAt === undefined) return false
  if (!(now < expiresAt) || !(now < idleExpiresAt)) return false
  return isUserActive(user, session.userGeneration)
}

/** Whether the user is active and still of this generation. `false` when the row lacks one of these fields. */
export const isUserActive = (user: UserRecord | undefined, generation: number): user is ActiveUser =>
  user?.active === true && Number.isSafeInteger(generation) && user.generation === generation

/** Whether the proven key is the key that a code or token is bound to. */
export const isSameKey = (bound: Possession, proven: Possession): boolean =>
  bound.kind === 'dpop'
    ? proven.kind === 'dpop' && proven.jkt === bound.jkt
    : bound.kind === 'mtls' && proven.kind === 'mtls' && proven.x5tS256 === bound.x5tS256

/**
 * Whether storage returned a complete binding. Without this check, a token that is bound to a key would become a bearer
 * token if a store lost the field.
 */
export function isPossession(stored: Partial<Possession> | undefined): stored is Possession {
  if (stored?.kind === 'none') return true
  const thumbprint: unknown =
    stored?.kind === 'mtls'
      ? stored.x5tS256
      : stored?.kind === 'dpop' || stored?.kind === 'attested'
        ? stored.jkt
        : undefined
  return typeof thumbprint === 'string' && thumbprint !== ''
}
