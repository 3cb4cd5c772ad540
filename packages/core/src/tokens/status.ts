import type {
  Brand,
  ClientRecord,
  EpochSeconds,
  FamilyStatus,
  GrantStatus,
  SessionStatus,
  UserRecord,
} from '@mintmark/storage-interface'

/** An account that is active, and of the generation that the thing was born in which stands on it. Only this file makes it. */
export type ActiveUser = Brand<UserRecord, 'LiveUser'>

/** A standing whose rows are all there and in force. */
export type Active<Standing extends { client: unknown; user: unknown }> = Standing & {
  readonly client: ClientRecord
  readonly user: ActiveUser
}

/** Whether a grant is honoured: not revoked, its client in use, its user active and of the generation it was born in. */
export function isGrantActive(standing: GrantStatus | undefined): standing is Active<GrantStatus> {
  if (standing === undefined) return false
  const { grant, client, user } = standing
  if (grant.revokedAt !== undefined || client === undefined || client.disabledAt !== undefined) return false
  return isUserActive(user, grant.userGeneration) && user.userId === grant.userId && client.clientId === grant.clientId
}

/** Whether a token family is honoured: neither revoked nor expired, and its grant is live. */
export function isFamilyActive(
  standing: FamilyStatus | undefined,
  now: EpochSeconds,
): standing is Active<FamilyStatus> {
  if (standing?.grant === undefined) return false
  const { family, grant, client, user } = standing
  if (family.revokedAt !== undefined || !(now < family.expiresAt) || family.grantId !== grant.grantId) return false
  return isGrantActive({ grant, client, user })
}

/** Whether a session is honoured: neither revoked nor expired, and its user is active and of the generation that signed in. */
export function isSessionActive(standing: SessionStatus | undefined, now: EpochSeconds): boolean {
  if (standing === undefined) return false
  const { session, user } = standing
  if (session.revokedAt !== undefined || !(now < session.expiresAt) || !(now < session.idleExpiresAt)) return false
  return isUserActive(user, session.userGeneration)
}

/** Whether what was born in `generation` of the account is honoured. A row without the fields is not: it fails closed. */
export const isUserActive = (user: UserRecord | undefined, generation: number): user is ActiveUser =>
  user?.active === true && Number.isSafeInteger(generation) && user.generation === generation
