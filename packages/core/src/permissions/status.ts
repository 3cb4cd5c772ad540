import type { Brand, EpochSeconds, OAuthStorage, UserRecord } from '@mintmark/storage-interface'
import {
  maxParents,
  type BoundSession,
  type FamilyStatus,
  type GrantStatus,
  type Lineage,
  type Possession,
  type SessionId,
  type SessionStatus,
  type StatusClient,
} from '@mintmark/storage-interface/stores'

/** A user who is active and of the same generation as the record that refers to them. Created only in this file. */
export type ActiveUser = Brand<UserRecord, 'ActiveUser'>

/** A status whose rows all exist and are active. */
export type Active<Status extends { client: unknown; user: unknown }> = Status & {
  readonly client: StatusClient
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
export const isFamilyActive = (status: FamilyStatus | undefined, now: EpochSeconds): status is Active<FamilyStatus> =>
  status?.family.lineage === undefined && isActiveByItself(status, now)

/** Whether a token family is active, apart from its lineage. */
function isActiveByItself(status: FamilyStatus | undefined, now: EpochSeconds): status is Active<FamilyStatus> {
  if (status?.grant === undefined) return false
  const { family, grant, client, user, session } = status
  if (!isBindingActive(family, session)) return false
  if (family.revokedAt !== undefined || !(now < family.expiresAt) || family.grantId !== grant.grantId) return false
  if (family.lineage === undefined) return isGrantActive({ grant, client, user, session })
  // RFC 8693 §2.2.1: the token was issued to the client that exchanged it, which the user has not met.
  return isGrantActive({ grant: { ...grant, clientId: family.clientId }, client, user, session })
}

/**
 * Returns the status of an active token family. A family whose token was exchanged is active only if everything that it
 * descends from is active: no family was revoked or has expired, no client is disabled, and none of the tokens was
 * revoked. A missing family is treated as revoked. It is safe to read the ancestors later than the family, because a
 * revocation is final. A family that a directory has vouched for is active only while the directory may do so.
 */
export async function findActiveFamily(
  status: FamilyStatus | undefined,
  now: EpochSeconds,
  storage: Pick<OAuthStorage, 'status' | 'revocations' | 'identityProviders'>,
): Promise<Active<FamilyStatus> | undefined> {
  if (!isActiveByItself(status, now)) return undefined
  const { lineage } = status.family
  if (lineage === undefined) return status
  // A lineage that lost a member in storage must not turn the token into one that depends on nothing.
  if (!isLineage(lineage)) return undefined
  const [areActive, mayVouch, ...revoked] = await Promise.all([
    areAncestorsActive(status, lineage, { now, storage }),
    mayDirectoryVouch(lineage, storage),
    ...lineage.tokenIds.map((tokenId) => storage.revocations.isTokenRevoked(tokenId, now)),
  ])
  return areActive && mayVouch && !revoked.includes(true) ? status : undefined
}

async function areAncestorsActive(
  { family, grant }: Active<FamilyStatus>,
  { parents }: Lineage,
  { now, storage }: { readonly now: EpochSeconds; readonly storage: Pick<OAuthStorage, 'status'> },
): Promise<boolean> {
  if (parents.length === 0) return grant?.clientId === family.clientId
  const ancestors = await storage.status.ofFamilies(parents)
  return parents.every((familyId) => {
    const ancestor = ancestors.find((found) => found.family.familyId === familyId)
    return (
      isActiveByItself(ancestor, now) &&
      ancestor.grant?.grantId === family.grantId &&
      ancestor.family.userId === family.userId
    )
  })
}

/** Whether the directory is enabled, and its assertions are accepted. */
async function mayDirectoryVouch(
  { providerId }: Lineage,
  { identityProviders }: Pick<OAuthStorage, 'identityProviders'>,
): Promise<boolean> {
  if (providerId === undefined) return true
  const provider = await identityProviders?.find(providerId)
  return provider?.disabledAt === undefined && provider?.assertions?.crossAppAccess !== undefined
}

function isLineage({ parents, tokenIds, providerId }: Partial<Lineage>): boolean {
  if (!isShortList(parents) || !isShortList(tokenIds) || parents?.length !== tokenIds?.length) return false
  return parents?.length !== 0 || (typeof providerId === 'string' && providerId !== '')
}

const isShortList = (list: unknown): boolean => Array.isArray(list) && list.length <= maxParents

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
