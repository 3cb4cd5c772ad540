import type { Random } from '@mintmark/internal'
import {
  after,
  type AuthorizationCodeRecord,
  type Brand,
  type EpochSeconds,
  type JsonObject,
  type OAuthStorage,
  type TokenFamilyRecord,
} from '@mintmark/storage-interface'
import type { Lineage, Possession } from '@mintmark/storage-interface/stores'

import type { AuthenticatedClient } from '../clients/authenticate.ts'
import type { Parameters } from '../parameters.ts'
import { detailsFor } from '../permissions/authorization-details.ts'
import type { DetailTypes } from '../permissions/detail-types.ts'
import { organizationOfGrant, type TokenOrganization } from '../permissions/organization.ts'
import {
  narrowedDetails,
  narrowResources,
  resolveTarget,
  type TokenTarget,
  type TokenTargetDependencies,
} from '../permissions/resources.ts'
import { mayRefresh, registeredScopes } from '../permissions/scopes.ts'
import { type ActiveUser, isBindingActive, isGrantActive } from '../permissions/status.ts'
import { refuse, type Refusal } from '../refusals.ts'
import type { ProvenPossession } from '../sender/proven-possession.ts'
import type { DecisionForUser, GrantEvidence } from '../tokens/grant.ts'
import { createRefreshToken, type RefreshLifetimes } from '../tokens/refresh-token.ts'

/** What a user granted, as it is stored with a code, or with a request that was approved on another device. */
export type StoredGrant = Pick<
  AuthorizationCodeRecord,
  | 'grantId'
  | 'familyId'
  | 'clientId'
  | 'userId'
  | 'scopes'
  | 'resources'
  | 'authorizationDetails'
  | 'claimsRequest'
  | 'authentication'
  | 'boundSessionId'
  | 'organizationId'
>

/** What the token request asks for: less than what was granted, or all of it. */
export interface Narrowing {
  /** The resources for the access token; empty for all granted resources (RFC 8707 §2.2). */
  readonly resources: readonly string[]
  /** The parameter `authorization_details`, for a token with fewer details (RFC 9396 §6). */
  readonly details: string | undefined
}

export const parseNarrowing = (form: Parameters): Narrowing => ({
  resources: form.all('resource'),
  details: form.get('authorization_details'),
})

/** How a grant type refuses a grant that is not active any more. */
interface InactivityRefusals {
  /** The grant, the user or the client is not active. */
  readonly inactive: Refusal
  /** The client's metadata document changed after the user consented. */
  readonly clientChanged: Refusal
  /** The session that the tokens would depend on has ended. */
  readonly sessionEnded: Refusal
}

/** Proof that the grant is active, and what a token for it may contain. Only `permittedBy` creates it. */
export type Permitted = Brand<
  {
    readonly granted: StoredGrant
    readonly client: AuthenticatedClient
    readonly user: ActiveUser
    readonly target: TokenTarget
    readonly details: readonly JsonObject[]
    readonly organization: TokenOrganization | undefined
  },
  'Permitted'
>

export interface PermittedDependencies extends TokenTargetDependencies {
  readonly storage: OAuthStorage
  readonly detailTypes: DetailTypes
}

/**
 * Checks that everything that the grant depends on is still active, and determines what a token for it may contain. It
 * changes nothing.
 * @throws OAuthError with the refusals of the grant type, or the errors of resources, details and organizations.
 */
export async function permittedBy(
  granted: StoredGrant,
  request: {
    readonly client: AuthenticatedClient
    readonly narrowing: Narrowing
    readonly refusals: InactivityRefusals
  },
  deps: PermittedDependencies,
): Promise<Permitted> {
  const { client, narrowing, refusals } = request
  const context = { clientId: client.clientId, userId: granted.userId, familyId: granted.familyId }
  const status = await deps.storage.status.ofGrant(granted.grantId, granted.boundSessionId)
  if (!isGrantActive(status) || status.user.userId !== granted.userId || status.client.clientId !== client.clientId) {
    // RFC 6749 §5.2: grants of deactivated users, revoked grants and grants of disabled clients are refused.
    throw refuse(refusals.inactive, context)
  }
  // Client ID Metadata Document §8.3: only the client that the user consented to gets the tokens.
  if (status.grant.clientDigest !== client.documentDigest) throw refuse(refusals.clientChanged, context)
  // OIDC Back-Channel Logout 1.0 §2.7: the session that the grant is bound to was ended.
  if (!isBindingActive(granted, status.session)) throw refuse(refusals.sessionEnded, context)
  const organization = granted.organizationId && (await organizationOfGrant(granted, deps.storage))
  const resources = narrowResources(narrowing.resources, granted, deps.issuer)
  const target = resolveTarget({ scopes: registeredScopes(granted.scopes, client), resources, client }, deps)
  const details = await narrowedDetails(narrowing.details, granted, { client, types: deps.detailTypes })
  return { granted, client, user: status.user, target, details, organization } as Permitted
}

export interface TokensDependencies {
  readonly storage: OAuthStorage
  readonly random: Random
  readonly lifetimes: RefreshLifetimes
  readonly detailTypes: DetailTypes
}

/**
 * Stores the token family of a consumed grant, with its first refresh token if `offline_access` was granted and the
 * client is registered for refresh tokens.
 *
 * If the grant was replayed while this request was in progress, the replay has already revoked the family. This request
 * still succeeds, but its tokens are revoked from the start, as if the replay had come right after the response (RFC
 * 6749 §4.1.2). If the family already exists and is active, the store no longer knows that the grant was consumed, for
 * example after a failover; the family is revoked in that case too.
 */
export async function tokensFor(
  consumed: {
    readonly permitted: Permitted
    readonly evidence: GrantEvidence
    readonly possession: ProvenPossession
    readonly nonce: string | undefined
    readonly lineage?: Lineage | undefined
  },
  now: EpochSeconds,
  deps: TokensDependencies,
): Promise<DecisionForUser> {
  const { permitted, evidence, possession, nonce, lineage } = consumed
  const { granted, client, user, target, details, organization } = permitted
  const refreshes = mayRefresh(granted.scopes, client)
  const refresh = refreshes ? await createRefreshToken(now, deps) : undefined
  // A family without a refresh token is kept for as long as its access token.
  const lifetime = refreshes ? deps.lifetimes.refreshTokenAbsolute : target.lifetime
  const family = {
    ...familyOf(granted, { now, expiresAt: after(now, lifetime) }),
    refresh: refresh?.record,
    lineage,
    possession: refreshBinding(client, possession),
  }
  const created = await deps.storage.families.insert(family)
  // RFC 6749 §4.1.2: the family already exists, so the grant was used twice. The family is revoked, because otherwise
  // the tokens of both requests would be valid.
  if (created.outcome === 'revoked') await deps.storage.families.insertTombstone(family, now)
  // If the user was removed from the organization, or lost a role, before the family was stored, that did not revoke the family.
  if (organization !== undefined) await refuseFormerMember(granted, { organization, now }, deps.storage)

  const { grantId, familyId, boundSessionId, authentication, claimsRequest } = granted
  const forUser = { user, grantId, familyId, boundSessionId, organization, authentication, claimsRequest, nonce }
  const tokenDetails = details.length === 0 ? undefined : detailsFor(details, target.audience, deps.detailTypes)
  const decision = { evidence, client, possession, target, forUser, refreshToken: refresh?.token }
  return tokenDetails === undefined ? decision : { ...decision, authorizationDetails: tokenDetails }
}

/** Revokes everything that was or will be issued for a grant that was presented twice (RFC 6749 §4.1.2). */
export const revokeFamilyOf = (
  granted: StoredGrant,
  now: EpochSeconds,
  { storage, lifetimes }: Pick<TokensDependencies, 'storage' | 'lifetimes'>,
): Promise<void> =>
  storage.families.insertTombstone(
    familyOf(granted, { now, expiresAt: after(now, lifetimes.refreshTokenAbsolute) }),
    now,
  )

/**
 * Revokes a family that was just stored if the user is not a member of its organization any more, or has lost one of the roles there
 * that its tokens will have.
 * @throws OAuthError invalid_grant — reasons `organization_left`, `organization_role_lost`.
 */
export async function refuseFormerMember(
  granted: Pick<StoredGrant, 'familyId' | 'organizationId' | 'userId'>,
  { organization, now }: { readonly organization: TokenOrganization; readonly now: EpochSeconds },
  storage: OAuthStorage,
): Promise<void> {
  try {
    const present = await organizationOfGrant(granted, storage)
    // RFC 6749 §5.2: the role is part of what the tokens would say.
    if (organization.roles.some((role) => present?.roles.includes(role) !== true))
      throw refuse('organization_role_lost', { userId: granted.userId })
  } catch (error) {
    // The client does not receive the tokens, so the family is revoked even if the check failed because storage did not
    // answer.
    await storage.families.revoke(granted.familyId, now)
    throw error
  }
}

/**
 * Returns the key that the refresh tokens are bound to. For a public client, it is the key that the client proved. For
 * a confidential client, there is none, because the client authenticates itself (RFC 9449 §5), unless an attestation
 * identifies the client instance by its key.
 */
function refreshBinding(client: AuthenticatedClient, proven: ProvenPossession): Possession {
  if (client.tokenEndpointAuthMethod === 'none') return proven
  // Attestation-Based Client Authentication §10.3: the refresh token is bound to the client instance too.
  return client.instanceKey === undefined ? unbound : { kind: 'attested', jkt: client.instanceKey }
}

const unbound = { kind: 'none' } as const

/** Builds the record of a grant's token family, without a refresh token or a key. */
function familyOf(
  granted: StoredGrant,
  { now, expiresAt }: { readonly now: EpochSeconds; readonly expiresAt: EpochSeconds },
): TokenFamilyRecord {
  const { familyId, grantId, clientId, userId, scopes, resources, claimsRequest, authentication } = granted
  return {
    familyId,
    grantId,
    clientId,
    userId,
    scopes,
    resources,
    claimsRequest,
    authentication,
    boundSessionId: granted.boundSessionId,
    possession: unbound,
    organizationId: granted.organizationId,
    authorizationDetails: granted.authorizationDetails,
    lineage: undefined,
    refresh: undefined,
    createdAt: now,
    expiresAt,
    revokedAt: undefined,
  }
}
