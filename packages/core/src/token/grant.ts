import { randomIdentifier, systemRandom, type Random } from '@mintmark/internal'
import {
  after,
  type Brand,
  type DurationSeconds,
  type EpochSeconds,
  familyId,
  type JsonObject,
  type OAuthStorage,
  seconds,
} from '@mintmark/storage-interface'
import type { AuthenticationRecord, FamilyId, GrantId } from '@mintmark/storage-interface/stores'

import { saveGrant } from '../authorize/consent.ts'
import type { AuthenticatedClient } from '../clients/authenticate.ts'
import type { Parameters } from '../parameters.ts'
import { refuse } from '../refusals.ts'
import { identifyUser, type SignedIn } from '../sessions/signed-in-user.ts'
import { isUserActive, type ActiveUser } from '../tokens/status.ts'

/**
 * Evidence that a grant was verified, such as a redeemed code. Each grant type brands its own where it makes the check:
 * `Brand<Proof, 'RedeemedCode' | 'GrantEvidence'>`. Neither a plain object nor an authenticated client is evidence:
 * authentication does not prove that anything was granted.
 */
export type GrantEvidence = Brand<object, 'GrantEvidence'>

/** What a grant type decided to issue. Minting requires it, with its evidence. */
export interface GrantDecision {
  readonly evidence: GrantEvidence
  readonly client: AuthenticatedClient
  readonly target: TokenTarget
  /** The user that the tokens are about; `undefined` for a token that the client holds for itself. */
  readonly forUser: UserDecision | undefined
  readonly refreshToken: string | undefined
}

/** The part of a decision that concerns a user. */
export interface UserDecision {
  /** Verified to be active: nothing is minted for a deactivated user. */
  readonly user: ActiveUser
  /** The grant of the family. Tokens name it, so that revoking it revokes them. */
  readonly grantId: GrantId
  /** The family of the tokens, already stored: tokens without a stored family are rejected. */
  readonly familyId: FamilyId
  readonly authentication: AuthenticationRecord
  readonly claimsRequest: JsonObject | undefined
  /** Returned in the ID token for a code, and in no later one (OIDC Core §12.2). */
  readonly nonce: string | undefined
}

/** A decision that concerns a user. */
export type DecisionForUser = GrantDecision & { readonly forUser: UserDecision }

/** The `sub` of the access token: the user, or the client for its own token (RFC 9068 §2.2). */
export const subjectOf = ({ forUser: signedInUser, client }: GrantDecision): string =>
  signedInUser?.user.userId ?? client.clientId

/** A grant type at the token endpoint (RFC 6749 §4). */
export interface GrantType {
  /** The `grant_type` value. */
  readonly grantType: string
  /** @throws OAuthError when the grant is invalid. */
  decide(form: Parameters, client: AuthenticatedClient, now: EpochSeconds): Promise<GrantDecision>
}

/**
 * Declares a grant type; discovery lists it.
 * @example An extension grant of the host's own (RFC 6749 §4.5), for the option `grants`. A client must be registered for it.
 * ```ts
 * type SpentVoucher = Brand<{ readonly voucher: string }, 'SpentVoucher' | 'GrantEvidence'>
 *
 * const voucherGrant = defineGrant({
 *   grantType: 'urn:example:params:oauth:grant-type:voucher',
 *   async decide(form, client, now) {
 *     const evidence = await spend(form.get('voucher'), now) // returns SpentVoucher, or throws OAuthError
 *     const target = { audience: ['https://api.test'], scopes: ['api.read'], lifetime: seconds(60), format: 'jwt' } as const
 *     return { evidence, client, target, forUser: undefined, refreshToken: undefined }
 *   },
 * })
 * ```
 */
export const defineGrant = (grant: GrantType): GrantType => grant

/** What an extension grant of the host gives to a client about a user. */
export interface UserGrant {
  readonly client: AuthenticatedClient
  /** Who the user is, and how and when they authenticated, as the host has just verified. */
  readonly signedIn: SignedIn
  /** Recorded as consent of the user: the client does not need to ask for them again. */
  readonly scopes: readonly string[]
  /** The lifetime of the access token. */
  readonly lifetime: DurationSeconds
}

/**
 * Creates the grant and the token family of an extension grant about a user (RFC 6749 §4.5), without a refresh token.
 * The minted tokens are revoked together with the user, the grant or the client, and the grant is listed as a connected
 * app.
 * @throws OAuthError invalid_grant — reason `grant_refused`: the user does not exist or is not active.
 * @throws TypeError when `authTime` is missing, not in seconds, or in the future.
 */
export async function grantForUser(
  given: UserGrant,
  now: EpochSeconds,
  deps: { readonly storage: OAuthStorage; readonly random?: Random },
): Promise<UserDecision> {
  const { storage, random = systemRandom } = deps
  const { clientId } = given.client
  const signedInUser = await identifyUser(given.signedIn, now, storage)
  const grant =
    signedInUser && (await saveGrant({ clientId, signedInUser, scopes: given.scopes }, now, { storage, random }))
  // RFC 6749 §5.2: the user does not exist or is not active.
  if (signedInUser === undefined || grant === undefined || !isUserActive(signedInUser.user, grant.userGeneration))
    throw refuse('grant_refused')

  const { user, authentication } = signedInUser
  const decision = {
    familyId: familyId(randomIdentifier(random)),
    grantId: grant.grantId,
    authentication,
    claimsRequest: undefined,
  }
  await storage.families.insert({
    ...decision,
    clientId,
    userId: user.userId,
    scopes: given.scopes,
    resources: [],
    refresh: undefined,
    createdAt: now,
    expiresAt: after(now, given.lifetime),
    revokedAt: undefined,
  })
  return { ...decision, user, nonce: undefined }
}

/** A protected resource that access tokens can be issued for (RFC 8707). */
export interface Resource {
  /** Its identifier, used as `aud`: an absolute URI without fragment. */
  readonly uri: string
  /** The scope values that it defines. */
  readonly scopes: readonly string[]
  readonly accessTokenLifetime: DurationSeconds
  /** `jwt`: RFC 9068, verified by the resource itself. `opaque`: stored, verified by introspection only. */
  readonly accessTokenFormat: 'jwt' | 'opaque'
}

/** Resources by their identifier. */
export type ResourceRegistry = ReadonlyMap<string, Resource>

/**
 * Validates the resources that a request names (RFC 8707 §2). Identifiers are compared character by character.
 * @throws OAuthError invalid_target — reason `resource_unknown`; also for anything that is not an absolute URI without
 *   fragment, since it cannot be registered, and for more than 32 resources.
 */
export function requestedResources(values: readonly string[], registry: ResourceRegistry): readonly string[] {
  // RFC 8707 §2: invalid_target when the resource is unknown or malformed.
  if (values.length > maxResources || values.some((uri) => !registry.has(uri))) throw refuse('resource_unknown')
  return [...new Set(values)]
}

/**
 * Determines the resources of one access token: the granted resources that the token request names, or all granted
 * ones.
 * @throws OAuthError invalid_target — reason `resource_not_granted`.
 */
export function narrowResources(values: readonly string[], granted: readonly string[]): readonly string[] {
  if (values.length === 0) return granted
  // RFC 8707 §2.2: the token request may only select from the granted resources.
  if (values.some((uri) => !granted.includes(uri))) throw refuse('resource_not_granted')
  return [...new Set(values)]
}

/** More audiences than any access token should have: each could use the token at the others (RFC 8707 §3). */
const maxResources = 32

/** The target of one access token: its audience, scopes, lifetime and format. */
export interface TokenTarget {
  readonly audience: readonly string[]
  readonly scopes: readonly string[]
  readonly lifetime: DurationSeconds
  readonly format: Resource['accessTokenFormat']
}

export interface TokenTargetDependencies {
  readonly issuer: string
  readonly resources: ResourceRegistry
  readonly defaultAudience: string
  readonly accessTokenLifetime: DurationSeconds
  /** Identity scopes, which every token may carry. */
  readonly identityScopes: ReadonlySet<string>
}

/**
 * Resolves granted scopes and resources to the target of an access token; without resources, to the default audience
 * (RFC 8707 §2.2, RFC 9068 §3). With `openid` this server is an audience too, for its userinfo endpoint. Scope values
 * of other resources are dropped.
 * @throws OAuthError invalid_target — reason `resource_unknown`: none of the granted resources is registered any more.
 */
export function resolveTarget(
  granted: { readonly scopes: readonly string[]; readonly resources: readonly string[] },
  deps: TokenTargetDependencies,
): TokenTarget {
  const userinfo = granted.scopes.includes('openid') ? [deps.issuer] : []
  if (granted.resources.length === 0) {
    const audience = [...new Set([deps.defaultAudience, ...userinfo])]
    return { audience, scopes: granted.scopes, lifetime: deps.accessTokenLifetime, format: 'jwt' }
  }

  const targets = granted.resources.flatMap((uri) => deps.resources.get(uri) ?? [])
  // RFC 8707 §2.2: the default audience was not granted. A removed resource must not widen a narrow grant.
  if (targets.length === 0) throw refuse('resource_unknown:granted')
  const understood = new Set(targets.flatMap(({ scopes }) => scopes))
  return {
    audience: [...new Set([...targets.map(({ uri }) => uri), ...userinfo])],
    scopes: granted.scopes.filter((scope) => understood.has(scope) || deps.identityScopes.has(scope)),
    lifetime: seconds(Math.min(...targets.map(({ accessTokenLifetime }) => accessTokenLifetime))),
    format: targets.some(({ accessTokenFormat }) => accessTokenFormat === 'opaque') ? 'opaque' : 'jwt',
  }
}
