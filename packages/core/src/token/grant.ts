import {
  after,
  familyId,
  type AuthenticationRecord,
  type Brand,
  type DurationSeconds,
  type EpochSeconds,
  type FamilyId,
  type GrantId,
  type JsonObject,
  type OAuthStorage,
} from '@mintmark/storage-interface'

import { saveGrant } from '../authorize/consent.ts'
import type { AuthenticatedClient } from '../clients/authenticate.ts'
import { OAuthError } from '../error/oauth-error.ts'
import type { Parameters } from '../parameters/parameters.ts'
import { randomIdentifier, systemRandom, type Random } from '../runtime/random.ts'
import { identifyUser, type SignedIn } from '../sessions/signed-in-user.ts'
import { isUserActive, type ActiveUser } from '../tokens/status.ts'
import type { TokenTarget } from './resources.ts'

/**
 * Whatever proves that a grant was honoured, such as a redeemed code. Each grant brands its own, in the one place that
 * makes the check: `Brand<Proof, 'RedeemedCode' | 'GrantEvidence'>`. A plain object is none, and neither is a client: that
 * it proved who it is does not say that it was granted anything.
 */
export type GrantEvidence = Brand<object, 'GrantEvidence'>

/** What a grant decided to issue. Minting demands it, with the evidence that it rests on. */
export interface GrantDecision {
  readonly evidence: GrantEvidence
  readonly client: AuthenticatedClient
  readonly target: TokenTarget
  /** Whom the tokens are about; `undefined` when the client acts for itself. */
  readonly forUser: UserDecision | undefined
  readonly refreshToken: string | undefined
}

/** The part of a decision that concerns a signed-in person. */
export interface UserDecision {
  /** The kill switch was looked at: nothing is minted for an account that is not live. */
  readonly user: ActiveUser
  /** The grant under which the family is, so that tokens can tell what they end with. */
  readonly grantId: GrantId
  /** The family that the tokens belong to, already stored: tokens of no family are never honoured. */
  readonly familyId: FamilyId
  readonly authentication: AuthenticationRecord
  readonly claimsRequest: JsonObject | undefined
  /** Echoed in the ID token that a code is redeemed for, and in no later one (OIDC Core §12.2). */
  readonly nonce: string | undefined
}

/** A decision that concerns a signed-in person. */
export type DecisionForUser = GrantDecision & { readonly forUser: UserDecision }

/** The `sub` of the access token: the person, or the client that acts for itself (RFC 9068 §2.2). */
export const subjectOf = ({ forUser: signedInUser, client }: GrantDecision): string =>
  signedInUser?.user.userId ?? client.clientId

/** A grant type at the token endpoint (RFC 6749 §4). */
export interface GrantType {
  /** The `grant_type` value. */
  readonly grantType: string
  /** @throws OAuthError when the grant is not honoured. */
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

/** What a grant of the host's own gives to a client about a person. */
export interface UserGrant {
  readonly client: AuthenticatedClient
  /** Who it is, and how and when they proved it: what the host has just verified. */
  readonly signedIn: SignedIn
  /** Recorded as consent of the person's: the client is not asked about them again. */
  readonly scopes: readonly string[]
  /** How long the access token lives. */
  readonly lifetime: DurationSeconds
}

/**
 * For a grant of the host's own that is about a person (RFC 6749 §4.5): joins the person and the client by a grant,
 * as consent does, and founds a token family under it, without a refresh token. What is minted then ends with the
 * account, the grant and the client, and stands on the connected-apps page.
 * @throws OAuthError invalid_grant — reason `grant_refused`: there is no such account, or it is not active.
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
  // RFC 6749 §5.2: nothing is granted about an account that is not there, or not active any more.
  if (signedInUser === undefined || grant === undefined || !isUserActive(signedInUser.user, grant.userGeneration))
    throw notGranted()

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

const notGranted = (): OAuthError =>
  new OAuthError('invalid_grant', 'The grant is not valid.', { reason: 'grant_refused' })
