import {
  aFunction,
  aListOfStrings,
  aNonEmptyString,
  anObject,
  aStorage,
  checkOptions,
  randomDatedIdentifier,
  required,
  systemRandom,
  type Random,
  wholeNumber,
} from '@mintmark/internal'
import {
  after,
  type Brand,
  type DurationSeconds,
  type EpochSeconds,
  familyId,
  type JsonObject,
  type JsonValue,
  type OAuthStorage,
  type UserId,
} from '@mintmark/storage-interface'
import type { AuthenticationRecord, FamilyId, GrantId, Lineage, SessionId } from '@mintmark/storage-interface/stores'

import { saveGrant } from '../consent/consent.ts'
import type { AuthenticatedClient } from '../clients/authenticate.ts'
import type { Parameters } from '../parameters.ts'
import { refuse } from '../refusals.ts'
import type { ProvenPossession } from '../sender/proven-possession.ts'
import { type HostUsers, hostUsers, readHostUsers } from '../sessions/host-users.ts'
import { identifyUser, type SignedIn } from '../sessions/signed-in-user.ts'
import type { TokenClaims } from './claims.ts'
import type { TokenOrganization } from '../permissions/organization.ts'
import { isUserActive, type ActiveUser } from '../permissions/status.ts'
import type { ResourceRules, TokenTarget } from '../permissions/resources.ts'

/**
 * Evidence that a grant was verified, such as a redeemed code. Each grant type defines its own brand in the file that
 * makes the check: `Brand<Proof, 'RedeemedCode' | 'GrantEvidence'>`. Neither a plain object nor an authenticated client
 * is evidence: authentication does not prove that anything was granted.
 */
export type GrantEvidence = Brand<object, 'GrantEvidence'>

/** Who presents a grant: the client, and the key that it holds. */
interface Presenter {
  readonly client: AuthenticatedClient
  readonly possession: ProvenPossession
  /**
   * The signal of the request, which is aborted when the client disconnects. A grant type may check it before it consumes
   * a credential: nobody would receive the tokens.
   */
  readonly signal?: (() => AbortSignal) | undefined
  /** Returns whether the client has disconnected. If absent, `signal` says so. */
  readonly isAbandoned?: (() => boolean) | undefined
}

/** What a grant type decided to issue. Minting requires it, with its evidence. */
export interface GrantDecision {
  readonly evidence: GrantEvidence
  readonly client: AuthenticatedClient
  /** The key that the access token is bound to: the presenter's key. */
  readonly possession: ProvenPossession
  readonly target: TokenTarget
  /** The user that the tokens are about; `undefined` for a token that the client holds for itself. */
  readonly forUser: UserDecision | undefined
  readonly refreshToken: string | undefined
  /** What the access token permits in detail (RFC 9396). */
  readonly authorizationDetails?: readonly JsonObject[]
  /** What the access token was exchanged for (RFC 8693); the family of `forUser` has the same lineage. */
  readonly exchange?: ExchangedTokens
  /** The JWT of another issuer that was presented for the tokens (RFC 7523 §2.1). */
  readonly assertion?: PresentedAssertion
  /** The claims, if the grant type computed them before it consumed the grant. Otherwise the token endpoint does. */
  readonly claims?: TokenClaims
}

/** An assertion for another server, which is issued in place of tokens (RFC 8693 §2.2.1). */
export interface AssertionDecision {
  readonly evidence: GrantEvidence
  readonly client: AuthenticatedClient
  readonly issue: {
    readonly userId: UserId
    readonly audience: string
    readonly scopes: readonly string[]
    readonly resources: readonly string[]
    /** All claims except `iss`, `jti`, `iat` and `exp`. */
    readonly claims: JsonObject
    readonly lifetime: DurationSeconds
  }
}

/** Who has vouched for the user, for the event. */
interface PresentedAssertion {
  readonly issuer: string
  /** The directory of the user, for an ID-JAG. */
  readonly providerId: string | undefined
  readonly tokenId: string
  readonly subject: string
  /** The party that the issuer says acts for the user. The access token does not name it. */
  readonly act?: JsonValue
}

/** The tokens that an access token was exchanged for, one after the other. */
interface ExchangedTokens {
  readonly mode: 'delegation' | 'impersonation'
  /** `undefined` for an ID token, which depends on the grant alone. */
  readonly lineage: Lineage | undefined
  /** The names of the clients of those tokens in the revocation feed. */
  readonly clientNames: readonly string[]
}

/** The part of a decision that concerns a user. */
export interface UserDecision {
  /** Verified to be active: nothing is minted for a deactivated user. */
  readonly user: ActiveUser
  /** The grant of the family. Tokens name it, so that revoking it revokes them. */
  readonly grantId: GrantId
  /** The family of the tokens, already stored: tokens without a stored family are rejected. */
  readonly familyId: FamilyId
  /** The session whose end revokes the tokens; `undefined` when they do not depend on a session. */
  readonly boundSessionId?: SessionId | undefined
  /** The organization that the tokens are for; `undefined` for none. */
  readonly organization?: TokenOrganization | undefined
  readonly authentication: AuthenticationRecord
  readonly claimsRequest: JsonObject | undefined
  /** The nonce for the ID token that is issued for a code; later ID tokens have none (OIDC Core §12.2). */
  readonly nonce: string | undefined
}

/** A decision that concerns a user. */
export type DecisionForUser = GrantDecision & { readonly forUser: UserDecision }

/** A grant type at the token endpoint (RFC 6749 §4). */
export interface GrantType {
  /** The `grant_type` value. */
  readonly grantType: string
  /**
   * Refuses a credential that was never issued to the client or has expired, and changes nothing. The token endpoint
   * calls it before it stores the DPoP proof of a public client: anybody can send requests in the name of a public
   * client.
   */
  refuseUnknown?(form: Parameters, client: AuthenticatedClient, now: EpochSeconds): Promise<void>
  /** @throws OAuthError when the grant is invalid. */
  decide(form: Parameters, presenter: Presenter, now: EpochSeconds): Promise<GrantDecision | AssertionDecision>
}

/**
 * Declares a grant type; discovery lists it.
 * @example An extension grant that the host defines (RFC 6749 §4.5), for the option `grants`. A client must be registered
 *   for it.
 * ```ts
 * type SpentVoucher = Brand<{ readonly voucher: string }, 'SpentVoucher' | 'GrantEvidence'>
 *
 * const voucherGrant = defineGrant({
 *   grantType: 'urn:example:params:oauth:grant-type:voucher',
 *   async decide(form, presenter, now) {
 *     const evidence = await spend(form.get('voucher'), now) // returns SpentVoucher, or throws OAuthError
 *     const target = { audience: ['https://api.test'], scopes: ['api.read'], lifetime: seconds(60), format: 'jwt' } as const
 *     return { ...presenter, evidence, target, forUser: undefined, refreshToken: undefined }
 *   },
 * })
 * ```
 * @throws TypeError that names the member and says what to change.
 */
export function defineGrant(grant: GrantType): GrantType {
  checkOptions('defineGrant', grant, {
    grantType: required(aNonEmptyString),
    refuseUnknown: aFunction,
    decide: required(aFunction),
  })
  return grant
}

/** The permission that a grant type of the host gives to a client: for which user, which scopes, and how long. */
export interface UserGrant {
  readonly client: AuthenticatedClient
  /** Who the user is, and how and when they authenticated, as the host has just verified. */
  readonly signedIn: SignedIn
  /**
   * The granted scope values. They are stored as consent of the user: at the APIs that the user has allowed, the client
   * does not need to ask for them again.
   */
  readonly scopes: readonly string[]
  /** The lifetime of the access token. */
  readonly lifetime: DurationSeconds
}

/**
 * Creates the grant and the token family of an extension grant about a user (RFC 6749 §4.5), without a refresh token.
 * If the server has the option `users`, pass the same value here.
 * The minted tokens are revoked together with the user, the grant or the client, and the grant is listed as a connected
 * app.
 * @throws OAuthError invalid_grant — reason `grant_refused`: the user does not exist or is not active.
 * @throws TypeError when a name is unknown or a value impossible, such as an `authTime` that is missing, not in seconds,
 *   or in the future.
 */
export async function grantForUser(
  userGrant: UserGrant,
  now: EpochSeconds,
  deps: { readonly storage: OAuthStorage; readonly users?: HostUsers; readonly random?: Random },
): Promise<UserDecision> {
  checkOptions('grantForUser', userGrant, {
    client: required(anObject),
    signedIn: required(anObject),
    scopes: required(aListOfStrings),
    lifetime: required(wholeNumber(1, 31_536_000)),
  })
  // With a misspelled `users`, a user who is inactive in the host's table would get tokens.
  checkOptions('grantForUser', deps, { storage: required(aStorage), users: hostUsers, random: aFunction })
  const { storage, users, random = systemRandom } = deps
  const { clientId } = userGrant.client
  const signedInUser = await identifyUser(
    userGrant.signedIn,
    now,
    users === undefined ? storage : readHostUsers(users, storage, { clock: () => now }),
  )
  // RFC 6749 §5.2: the user does not exist or is not active.
  if (signedInUser === undefined) throw refuse('grant_refused')
  const consent = { clientId, signedInUser, ...emptyConsent, scopes: userGrant.scopes, shown: emptyConsent }
  const grant = await saveGrant(consent, now, { storage, random, rules: noApis })
  // RFC 6749 §5.2: the user was deactivated and reactivated meanwhile.
  if (grant === undefined || !isUserActive(signedInUser.user, grant.userGeneration)) throw refuse('grant_refused')

  const { user, authentication } = signedInUser
  const decision = {
    familyId: familyId(randomDatedIdentifier(random, now)),
    grantId: grant.grantId,
    authentication,
    claimsRequest: undefined,
  }
  await storage.families.insert({
    ...decision,
    clientId,
    userId: user.userId,
    scopes: userGrant.scopes,
    resources: [],
    boundSessionId: undefined,
    possession: { kind: 'none' },
    organizationId: undefined,
    authorizationDetails: [],
    lineage: undefined,
    refresh: undefined,
    createdAt: now,
    expiresAt: after(now, userGrant.lifetime),
    revokedAt: undefined,
  })
  return { ...decision, user, nonce: undefined }
}

/** The user saw no consent page, so the existing consent stays. */
const emptyConsent = { scopes: [], resources: [], audience: 'apis', authorizationDetails: [] } as const

/**
 * Only the host knows for which APIs it grants the scope values. Without APIs here, all of the existing consent stays.
 */
const noApis: Pick<ResourceRules, 'resources' | 'identityScopes'> = { resources: new Map(), identityScopes: new Set() }
