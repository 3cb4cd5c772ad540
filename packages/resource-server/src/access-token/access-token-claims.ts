import { invalidToken } from '../access/access-refusal.ts'
import type { JsonObject } from '../authorization-server/json-object.ts'
import type { EpochMilliseconds } from '../runtime/clock.ts'

/** What an access token says (RFC 9068 §2.2). Times are in seconds since the epoch. */
export interface AccessTokenClaims {
  readonly issuer: string
  /** The person, or the client that acts for itself. */
  readonly subject: string
  readonly clientId: string
  readonly tokenId: string
  readonly audience: readonly string[]
  readonly scopes: readonly string[]
  readonly issuedAt: number
  readonly expiresAt: number
  /** All claims, as they came. */
  readonly claims: JsonObject
}

/** Whose tokens are accepted here, and for whom they must be. */
export interface AccessTokenExpectations {
  readonly issuer: string
  readonly audience: string
  /** In seconds: how far the clocks may be apart. */
  readonly clockSkew: number
}

/**
 * Reads the claims of an access token, and refuses what is another issuer's, meant for others, or not of this moment.
 * @throws AccessRefusal invalid_token — reason `token_claims` | `token_issuer` | `token_audience` | `token_expired` |
 *   `token_not_yet_valid` | `token_bound`.
 */
export function readAccessTokenClaims(
  claims: JsonObject,
  now: EpochMilliseconds,
  expected: AccessTokenExpectations,
): AccessTokenClaims {
  const { iss, sub, aud, jti, client_id: clientId, scope = '', exp, iat } = claims
  const audience = typeof aud === 'string' ? [aud] : aud
  // RFC 9068 §4: the issuer is compared to the letter.
  if (iss !== expected.issuer) throw invalidToken('token_issuer')
  // RFC 9068 §2.2: these claims are required, each of its one type.
  if (!isText(sub) || !isText(jti) || !isText(clientId) || typeof scope !== 'string') throw invalidToken('token_claims')
  if (!isTime(exp) || !isTime(iat) || !Array.isArray(audience) || !audience.every(isText))
    throw invalidToken('token_claims')
  // RFC 9068 §4: a token that is meant for others is not accepted here.
  if (!audience.includes(expected.audience)) throw invalidToken('token_audience')
  refuseOtherTimes({ exp, iat, nbf: claims['nbf'] }, now, expected.clockSkew)
  // RFC 9449 §7.1, RFC 8705 §3: what is bound to a key is not a bearer token.
  if (claims['cnf'] !== undefined) throw invalidToken('token_bound')

  const scopes = scope.split(' ').filter((value) => value !== '')
  return { issuer: iss, subject: sub, clientId, tokenId: jti, audience, scopes, issuedAt: iat, expiresAt: exp, claims }
}

function refuseOtherTimes(
  { exp, iat, nbf }: { readonly exp: number; readonly iat: number; readonly nbf: unknown },
  now: EpochMilliseconds,
  clockSkew: number,
): void {
  const seconds = now / 1000
  // RFC 7519 §4.1.4: on or after this time it is not accepted.
  if (seconds >= exp + clockSkew) throw invalidToken('token_expired')
  // RFC 7519 §4.1.5: not before, where that is said.
  if (nbf !== undefined && !(isTime(nbf) && nbf <= seconds + clockSkew)) throw invalidToken('token_not_yet_valid')
  // RFC 9068 §4: issued in the future means by a clock that is not to be trusted.
  if (iat > seconds + clockSkew) throw invalidToken('token_not_yet_valid')
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

const isTime = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0
