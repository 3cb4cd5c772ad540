import type {
  AuthenticationRecord,
  Brand,
  EpochSeconds,
  FamilyId,
  GrantId,
  JsonObject,
} from '@mintmark/storage-interface'

import type { AuthenticatedClient } from '../client/authenticate-client.ts'
import type { Parameters } from '../parameters/parameters.ts'
import type { TokenTarget } from '../resource/token-target.ts'
import type { ActiveUser } from '../tokens/status.ts'

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
export const subjectOf = ({ forUser: person, client }: GrantDecision): string => person?.user.userId ?? client.clientId

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
