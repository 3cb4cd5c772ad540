import type { KeySet } from '../authorization-server/remote-key-set.ts'
import type { JsonObject } from '../authorization-server/json-object.ts'
import type { EpochMilliseconds } from '../runtime/clock.ts'
import { readAccessTokenClaims, type AccessTokenClaims, type AccessTokenExpectations } from './access-token-claims.ts'
import { verifyJws } from './verify-jws.ts'

declare const verified: unique symbol

/** An access token whose issuer, audience and time were checked, and its signature or its standing. Only this file makes it. */
export type VerifiedAccessToken = AccessTokenClaims & { readonly [verified]: true }

/**
 * Verifies an access token that is a JWT (RFC 9068 §4).
 * @throws AccessRefusal invalid_token — the reasons of `verifyJws` and `readAccessTokenClaims`; temporarily_unavailable
 *   when there are no keys.
 */
export async function verifyAccessToken(
  token: string,
  now: EpochMilliseconds,
  expected: AccessTokenExpectations & { readonly keys: KeySet },
): Promise<VerifiedAccessToken> {
  const claims = await verifyJws(token, { type: 'at+jwt', maxLength }, expected.keys)
  return readAccessTokenClaims(claims, now, expected) as VerifiedAccessToken
}

/**
 * Reads what the authorization server itself says of a token that it calls active (RFC 7662 §2.2).
 * @throws AccessRefusal invalid_token — the reasons of `readAccessTokenClaims`.
 */
export const verifyIntrospectedToken = (
  description: JsonObject,
  now: EpochMilliseconds,
  expected: AccessTokenExpectations,
): VerifiedAccessToken => readAccessTokenClaims(description, now, expected) as VerifiedAccessToken

/** In characters: well above any access token of the authorization server's. */
const maxLength = 8192
