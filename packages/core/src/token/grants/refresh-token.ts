// Over 250 lines: all checks of a refresh token and its rotation are in this file, because their order matters.
import { randomSecret, type Random, stopIfAbandoned } from '@mintmark/internal'
import {
  after,
  type Brand,
  type DurationSeconds,
  type EpochSeconds,
  type JsonObject,
  type OAuthStorage,
  type TokenFamilyRecord,
} from '@mintmark/storage-interface'

import { detailsFor, resourcesWithoutDetails } from '../../permissions/authorization-details.ts'
import type { DetailTypes } from '../../permissions/detail-types.ts'
import { mayRefresh, omittedScopes, registeredScopes } from '../../permissions/scopes.ts'
import type { AuthenticatedClient } from '../../clients/authenticate.ts'
import { profileRules, type ProfileSettings } from '../../clients/security-profile.ts'
import { type Parameters, splitAtSpaces } from '../../parameters.ts'
import { refuse, type OAuthError } from '../../refusals.ts'
import type { ProvenPossession } from '../../sender/proven-possession.ts'
import { organizationOfGrant } from '../../permissions/organization.ts'
import { computeTokenClaims, type ClaimsDependencies } from '../../tokens/claims.ts'
import {
  digestOf,
  digestRefreshToken,
  parseRefreshToken,
  deriveSuccessor,
  encodeRefreshToken,
  type RefreshLifetimes,
  type RefreshToken,
  type RefreshTokenDigests,
} from '../../tokens/refresh-token.ts'
import { isFamilyActive, isPossession, isSameKey } from '../../permissions/status.ts'
import { defineGrant, type GrantType } from '../../tokens/grant.ts'
import {
  narrowedDetails,
  narrowResources,
  resolveTarget,
  type TokenTargetDependencies,
  usableScopes,
} from '../../permissions/resources.ts'

type RefreshTokenGrantDependencies = RotateRefreshTokenDependencies &
  TokenTargetDependencies &
  ClaimsDependencies & { readonly detailTypes: DetailTypes }

/** Creates the refresh token grant (RFC 6749 §6) with rotation where the client needs it (RFC 9700 §4.14.2). */
export const refreshTokenGrant = (deps: RefreshTokenGrantDependencies): GrantType =>
  defineGrant({
    grantType: 'refresh_token',
    refuseUnknown: async (form, client) => void (await findFamily(form, client, deps)),
    async decide(form, { client, possession, signal, isAbandoned }, now) {
      const { presented, digests, status } = await findFamily(form, client, deps)
      // RFC 6749 §5.2: refresh tokens of deactivated users, revoked grants and disabled clients are refused.
      if (!isFamilyActive(status, now)) throw unknownToken(client, status.family)
      provePossessionOf(status.family, possession, client)
      // RFC 9396 §7: a family that lost its details in storage must not be treated as a family without details.
      if (!Array.isArray(status.family.authorizationDetails)) throw unknownToken(client, status.family)
      // OIDC Core §11: since the token was issued, the client may have lost offline access.
      if (!mayRefresh(status.family.scopes, client)) throw unknownToken(client, status.family)
      const scopes = narrowScopes(form, { client, granted: registeredScopes(status.family.scopes, client) }, deps)
      const resources = narrowResources(form.all('resource'), status.family, deps.issuer)
      const target = resolveTarget({ scopes, resources, client }, deps)
      const detailRules = { client, types: deps.detailTypes }
      // Before the token is rotated, so that the client can correct its request.
      const details = await narrowedDetails(form.get('authorization_details'), status.family, detailRules)
      refuseOtherScopes(form, { scopes, resources, details }, deps)
      const organization = await organizationOfGrant(status.family, deps.storage)
      const { claimsRequest } = status.family
      const subject = { ...target, client, user: status.user, claimsRequest, organization }
      // A failure here leaves the refresh token as it was.
      const claims = await computeTokenClaims(subject, deps)
      const keepsToken = mayKeepToken(client, status.family, deps)
      stopIfAbandoned({ signal, isAbandoned })
      const rotated = await rotateRefreshToken({ presented, digests, client, keepsToken }, now, deps)

      const { grantId, familyId, boundSessionId, authentication } = rotated.family
      return {
        evidence: rotated,
        client,
        possession,
        target,
        forUser: {
          user: status.user,
          grantId,
          familyId,
          boundSessionId,
          organization,
          authentication,
          claimsRequest,
          nonce: undefined,
        },
        refreshToken: rotated.refreshToken,
        claims,
        ...(details.length > 0 && { authorizationDetails: detailsFor(details, target.audience, deps.detailTypes) }),
      }
    },
  })

export type KeepRefreshTokenDependencies = RotateRefreshTokenDependencies

/**
 * Checks a refresh token as the grant does, and does not replace it. A token that was replaced before revokes its family.
 * @throws OAuthError as the grant.
 */
export async function keepRefreshToken(
  presentation: {
    readonly token: string
    readonly client: AuthenticatedClient
    readonly possession: ProvenPossession
  },
  now: EpochSeconds,
  deps: KeepRefreshTokenDependencies,
): Promise<RotatedFamily> {
  const { token, client, possession } = presentation
  const { presented, digests, status } = await findFamilyOf(token, client, deps)
  // RFC 6749 §5.2: refresh tokens of deactivated users, revoked grants and disabled clients are refused.
  if (!isFamilyActive(status, now)) throw unknownToken(client, status.family)
  provePossessionOf(status.family, possession, client)
  // OIDC Core §11: since the token was issued, the client may have lost offline access.
  if (!mayRefresh(status.family.scopes, client)) throw unknownToken(client, status.family)
  return rotateRefreshToken({ presented, digests, client, keepsToken: true }, now, deps)
}

/** @throws OAuthError invalid_grant — reason `refresh_token_unknown`. Nothing is changed. */
async function findFamily(form: Parameters, client: AuthenticatedClient, deps: RefreshTokenGrantDependencies) {
  const text = form.get('refresh_token')
  // RFC 6749 §6: refresh_token is required.
  if (text === undefined) throw refuse('refresh_token_missing')
  return findFamilyOf(text, client, deps)
}

async function findFamilyOf(
  text: string,
  client: AuthenticatedClient,
  { storage }: Pick<RotateRefreshTokenDependencies, 'storage'>,
) {
  const presented = await parseRefreshToken(text)
  // RFC 6749 §5.2: invalid_grant, the same as for an unknown token.
  if (presented === undefined) throw unknownToken(client, undefined)
  const digests = await digestRefreshToken(presented)
  const status = await storage.status.ofRefreshHandle(digests.handleDigest)
  // RFC 6749 §10.4: bound to the client it was issued to; another client's request changes nothing.
  if (status?.family.clientId !== client.clientId) throw unknownToken(client, undefined)
  return { presented, digests, status }
}

/**
 * Checks the key before the token is rotated, so that a thief without the key changes nothing.
 * @throws OAuthError invalid_grant — reason `refresh_token_key_mismatch` | `refresh_token_unknown`; invalid_dpop_proof
 *   — reason `dpop_proof_missing`.
 */
function provePossessionOf(family: TokenFamilyRecord, proven: ProvenPossession, client: AuthenticatedClient): void {
  // RFC 9449 §5: a binding that was lost in storage must not make the token usable without its key.
  if (!isPossession(family.possession)) throw unknownToken(client, family)
  if (family.possession.kind === 'none' || isSameKey(family.possession, proven)) return
  if (family.possession.kind === 'attested' && family.possession.jkt === client.instanceKey) return
  const context = { clientId: client.clientId, userId: family.userId, familyId: family.familyId }
  // RFC 9449 §5: a refresh token is bound to the key that it was issued for.
  const isMissing = proven.kind === 'none' && family.possession.kind !== 'attested'
  throw refuse(isMissing ? 'dpop_proof_missing' : 'refresh_token_key_mismatch', context)
}

/**
 * Refuses a request whose `resource` is one API and whose scope values belong to another, as the authorization endpoint
 * does.
 * @throws OAuthError invalid_target — reason `resource_without_scope`.
 */
function refuseOtherScopes(
  form: Parameters,
  {
    scopes,
    resources,
    details,
  }: {
    readonly scopes: readonly string[]
    readonly resources: readonly string[]
    readonly details: readonly JsonObject[]
  },
  deps: RefreshTokenGrantDependencies,
): void {
  if (form.get('scope') === undefined || form.all('resource').length === 0) return
  const bare = resourcesWithoutDetails(resources, details, deps.detailTypes)
  usableScopes(scopes, { resources, bare }, deps)
}

/**
 * Narrows the scopes of this access token; the grant is unchanged (RFC 6749 §6). Many clients repeat the scope of their
 * authorization request, of which they may have got a part.
 */
function narrowScopes(
  form: Parameters,
  { client, granted }: { readonly client: AuthenticatedClient; readonly granted: readonly string[] },
  deps: ProfileSettings,
): readonly string[] {
  const requested = form.get('scope')
  if (requested === undefined) return granted
  const scopes = splitAtSpaces(requested)
  const usable = scopes.filter((scope) => granted.includes(scope))
  const mayOmit = profileRules(client, deps).omitsScopes
  // RFC 6749 §6: a scope that was not granted gives no access. The refresh token is not rotated.
  if (usable.length === 0 || (usable.length < scopes.length && !mayOmit)) {
    const refusedScopes = omittedScopes(requested, granted)
    throw refuse('scope_not_granted', { clientId: client.clientId, refusedScopes, grantedScopes: granted })
  }
  return usable
}

function unknownToken({ clientId }: AuthenticatedClient, family: TokenFamilyRecord | undefined): OAuthError {
  const context = { clientId, userId: family?.userId, familyId: family?.familyId }
  return refuse('refresh_token_unknown', context)
}

/**
 * A family whose refresh token this request rotated, or retried within the window. Only `rotateRefreshToken`
 * creates it.
 */
export type RotatedFamily = Brand<
  { readonly family: TokenFamilyRecord; readonly refreshToken: string },
  'RotatedFamily' | 'GrantEvidence'
>

interface RotateRefreshTokenDependencies extends ProfileSettings {
  /** `unbound_only`: only refresh tokens of public clients that are bound to no key rotate. */
  readonly rotation: 'always' | 'unbound_only'
  readonly storage: OAuthStorage
  readonly random: Random
  readonly lifetimes: RefreshLifetimes
  /** How long a rotated token still returns the same successor. */
  readonly retryWindow: { readonly confidential: DurationSeconds; readonly public: DurationSeconds }
}

/**
 * Whether the client's refresh token stays the same. FAPI 2.0 SP §5.3.2.1 forbids rotation; RFC 9700 §4.14.2 demands it of
 * public clients, unless their token is bound to a key.
 */
function mayKeepToken(
  client: AuthenticatedClient,
  { possession }: TokenFamilyRecord,
  deps: RotateRefreshTokenDependencies,
): boolean {
  // The key of this request does not protect a token that is not bound to it.
  if (client.tokenEndpointAuthMethod === 'none' && possession.kind === 'none') return false
  return deps.rotation === 'unbound_only' || !profileRules(client, deps).rotatesRefreshTokens
}

/**
 * Rotates a refresh token (RFC 9700 §4.14.2). With `keepsToken`, the token is its own successor. A client that lost the
 * response, or sent two requests at once, gets the identical successor within a short window; any other old token of
 * the family revokes the family.
 * @throws OAuthError invalid_grant — reason `refresh_token_unknown` | `refresh_token_reused`.
 */
async function rotateRefreshToken(
  presentation: {
    readonly presented: RefreshToken
    readonly digests: RefreshTokenDigests
    readonly client: AuthenticatedClient
    readonly keepsToken: boolean
  },
  now: EpochSeconds,
  deps: RotateRefreshTokenDependencies,
): Promise<RotatedFamily> {
  const { presented, digests, client, keepsToken } = presentation
  const salt = randomSecret(deps.random)
  const successor = keepsToken ? presented : await deriveSuccessor(presented, salt)
  const rotated = await deps.storage.families.rotate({
    handleDigest: digests.handleDigest,
    presentedDigest: digests.tokenDigest,
    clientId: client.clientId,
    successorDigest: await digestOf(successor),
    successorSalt: salt,
    expiresAt: after(now, deps.lifetimes.refreshTokenIdle),
    now,
    retryWindow: client.tokenEndpointAuthMethod === 'none' ? deps.retryWindow.public : deps.retryWindow.confidential,
  })

  if (rotated.outcome === 'absent') throw rotationRefusal('refresh_token_unknown', client, undefined)
  // RFC 9700 §4.14.2: two parties hold this token, and it is unknown which of them stole it.
  if (rotated.outcome === 'reused') throw rotationRefusal('refresh_token_reused', client, rotated.record)
  if (rotated.outcome === 'retried') return repeatRotation({ presented, client }, rotated.record)
  return { family: rotated.record, refreshToken: await encodeRefreshToken(successor) } as RotatedFamily
}

/** Recomputes the successor of the lost response from the stored salt of its rotation. */
async function repeatRotation(
  { presented, client }: { readonly presented: RefreshToken; readonly client: AuthenticatedClient },
  family: TokenFamilyRecord,
): Promise<RotatedFamily> {
  const successor = await deriveSuccessor(presented, family.refresh?.successorSalt ?? '')
  // RFC 6749 §5.2: the salt in storage must belong to this rotation; otherwise the token would be unusable.
  if ((await digestOf(successor)) !== family.refresh?.currentDigest)
    throw rotationRefusal('refresh_token_unknown', client, family)
  return { family, refreshToken: await encodeRefreshToken(successor) } as RotatedFamily
}

function rotationRefusal(
  reason: 'refresh_token_unknown' | 'refresh_token_reused',
  { clientId }: AuthenticatedClient,
  family: TokenFamilyRecord | undefined,
): OAuthError {
  const context = { clientId, userId: family?.userId, familyId: family?.familyId }
  return refuse(reason, context)
}
