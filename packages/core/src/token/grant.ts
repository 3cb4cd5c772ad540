import type { AuthenticationRecord, Brand, EpochSeconds, FamilyId, JsonObject, UserId } from '@mintmark/storage-interface'

import type { AuthenticatedClient } from '../client/authenticated-client.ts'
import type { Parameters } from '../parameters/parameters.ts'

/** Whatever proves that a grant was honoured, such as a redeemed code: a branded value, so that a plain object does not compile. */
export type GrantEvidence = Brand<object, string>

/** What a grant decided to issue. Minting demands it, with the evidence that it rests on. */
export interface GrantDecision {
  readonly evidence: GrantEvidence
  readonly client: AuthenticatedClient
  /** The `sub` of the access token: a user, or the client itself. */
  readonly subject: string
  readonly scopes: readonly string[]
  readonly audience: readonly string[]
  /** `undefined` when no person is involved. */
  readonly person: PersonDecision | undefined
}

/** The part of a decision that concerns a signed-in person. */
export interface PersonDecision {
  readonly userId: UserId
  readonly familyId: FamilyId
  readonly authentication: AuthenticationRecord
  /** What is known of the person, by OIDC claim name. */
  readonly claims: JsonObject
  readonly nonce: string | undefined
}

/** A decision that concerns a signed-in person. */
export type DecisionForPerson = GrantDecision & { readonly person: PersonDecision }

/** A grant type at the token endpoint (RFC 6749 §4). */
export interface GrantType {
  /** The `grant_type` value. */
  readonly grantType: string
  /** @throws OAuthError when the grant is not honoured. */
  decide(form: Parameters, client: AuthenticatedClient, now: EpochSeconds): Promise<GrantDecision>
}

/** Declares a grant type; discovery lists it. */
export const defineGrant = (grant: GrantType): GrantType => grant
