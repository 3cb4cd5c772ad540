import type { Brand, ClientRecord, EpochSeconds, UserRecord } from '@mintmark/storage-interface'
import type { FamilyStatus, GrantStatus, SessionStatus } from '@mintmark/storage-interface/stores'

/** A user who is active and of the same generation as the record that refers to them. Created only in this file. */
export type ActiveUser = Brand<UserRecord, 'ActiveUser'>

/** A status whose rows all exist and are in force. */
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

/** Whether a token family is active: neither revoked nor expired, and its grant is active. */
export function isFamilyActive(status: FamilyStatus | undefined, now: EpochSeconds): status is Active<FamilyStatus> {
  if (status?.grant === undefined) return false
  const { family, grant, client, user } = status
  if (family.revokedAt !== undefined || !(now < family.expiresAt) || family.grantId !== grant.grantId) return false
  return isGrantActive({ grant, client, user })
}

/**
 * Whether a session is active: neither revoked nor expired, and its user is active and of the generation that signed
 * in.
 */
export function isSessionActive(status: SessionStatus | undefined, now: EpochSeconds): boolean {
  if (status === undefined) return false
  const { session, user } = status
  if (session.revokedAt !== undefined || !(now < session.expiresAt) || !(now < session.idleExpiresAt)) return false
  return isUserActive(user, session.userGeneration)
}

/** Whether the user is active and still of this generation. It fails closed when a row lacks these fields. */
export const isUserActive = (user: UserRecord | undefined, generation: number): user is ActiveUser =>
  user?.active === true && Number.isSafeInteger(generation) && user.generation === generation
