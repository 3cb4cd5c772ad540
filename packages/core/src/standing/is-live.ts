import type {
  Brand,
  ClientRecord,
  EpochSeconds,
  FamilyStanding,
  GrantStanding,
  SessionStanding,
  UserRecord,
} from '@mintmark/storage-interface'

/** An account that is active, and of the generation that the thing was born in which stands on it. Only this file makes it. */
export type LiveUser = Brand<UserRecord, 'LiveUser'>

/** A standing whose rows are all there and in force. */
export type Live<Standing extends { client: unknown; user: unknown }> = Standing & {
  readonly client: ClientRecord
  readonly user: LiveUser
}

/** Whether a grant is honoured: not revoked, its client in use, its user active and of the generation it was born in. */
export function isGrantLive(standing: GrantStanding | undefined): standing is Live<GrantStanding> {
  if (standing === undefined) return false
  const { grant, client, user } = standing
  if (grant.revokedAt !== undefined || client === undefined || client.disabledAt !== undefined) return false
  return isUserLive(user, grant.userGeneration) && user.userId === grant.userId && client.clientId === grant.clientId
}

/** Whether a token family is honoured: neither revoked nor expired, and its grant is live. */
export function isFamilyLive(
  standing: FamilyStanding | undefined,
  now: EpochSeconds,
): standing is Live<FamilyStanding> {
  if (standing?.grant === undefined) return false
  const { family, grant, client, user } = standing
  if (family.revokedAt !== undefined || !(now < family.expiresAt) || family.grantId !== grant.grantId) return false
  return isGrantLive({ grant, client, user })
}

/** Whether a session is honoured: neither revoked nor expired, and its user is active and of the generation that signed in. */
export function isSessionLive(standing: SessionStanding | undefined, now: EpochSeconds): boolean {
  if (standing === undefined) return false
  const { session, user } = standing
  if (session.revokedAt !== undefined || !(now < session.expiresAt) || !(now < session.idleExpiresAt)) return false
  return isUserLive(user, session.userGeneration)
}

/** Whether what was born in `generation` of the account is honoured. A row without the fields is not: it fails closed. */
export const isUserLive = (user: UserRecord | undefined, generation: number): user is LiveUser =>
  user?.active === true && Number.isSafeInteger(generation) && user.generation === generation
