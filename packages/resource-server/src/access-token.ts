import { findResourceName } from '@mintmark/internal'

import type { JsonObject } from './http-client.ts'
import type { KeySet } from './key-set.ts'
import { refuse } from './refusals.ts'
import type { EpochMilliseconds } from './runtime.ts'
import { verifyJws } from './jws.ts'

/** An entry of the authorization details (RFC 9396 §2). Its type determines its other members. */
interface AuthorizationDetail extends JsonObject {
  readonly type: string
}

/** The claims of an access token (RFC 9068 §2.2). Times are in seconds since 1970. */
export interface AccessTokenClaims {
  readonly issuer: string
  /** The user, or a client that acts on its own behalf. */
  readonly subject: string
  readonly clientId: string
  readonly tokenId: string
  readonly audience: readonly string[]
  readonly scopes: readonly string[]
  /** What the user granted in detail (RFC 9396 §9.1); each entry has a `type`. Empty when the token has none. */
  readonly authorizationDetails: readonly AuthorizationDetail[]
  /** The organization that the token is for (`org_id`), whose roles are in `claims.roles`; `undefined` for none. */
  readonly organizationId: string | undefined
  readonly issuedAt: number
  readonly expiresAt: number
  /** All claims, as received. */
  readonly claims: JsonObject
}

declare const verified: unique symbol

/**
 * An access token whose issuer, audience, times and signature were checked; introspection replaces the signature for an
 * opaque token. Only this file creates it.
 */
export type VerifiedAccessToken = AccessTokenClaims & { readonly [verified]: true }

/** The thumbprint of a DPoP key, or of a client certificate. */
export type ProvenKey = { readonly jkt: string } | { readonly 'x5t#S256': string }

/** The issuer and audience that tokens must have. */
export interface AccessTokenExpectations {
  readonly issuer: string
  readonly audience: string
  /** By how many seconds the clocks of the two servers may differ. */
  readonly clockSkew: number
  /** The key that the sender proved to hold, as in `cnf` (RFC 9449 §6.1, RFC 8705 §3.1); `undefined` without one. */
  readonly proven: ProvenKey | undefined
}

/**
 * Verifies an access token that is a JWT (RFC 9068 §4).
 * @throws AccessRefusedError with the reasons of `verifyJws`, `token_issuer`, `token_claims`, `token_audience`,
 *   `token_expired`, `token_not_yet_valid`, `token_bound` or `token_unbound`.
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
 * Reads the introspection response of an active token (RFC 7662 §2.2), and checks the same claims as `verifyAccessToken`.
 * @throws AccessRefusedError
 */
export const verifyIntrospectedToken = (
  description: JsonObject,
  now: EpochMilliseconds,
  expected: AccessTokenExpectations,
): VerifiedAccessToken => readAccessTokenClaims(description, now, expected) as VerifiedAccessToken

function readAccessTokenClaims(
  claims: JsonObject,
  now: EpochMilliseconds,
  expected: AccessTokenExpectations,
): AccessTokenClaims {
  const { iss, sub, aud, jti, client_id: clientId, scope = '', exp, iat, authorization_details: details = [] } = claims
  const audience = typeof aud === 'string' ? [aud] : aud
  // RFC 9068 §4: the issuer must match exactly.
  if (iss !== expected.issuer)
    throw refuse('token_issuer', { comparison: `expected ${expected.issuer}, found ${forLog(iss)}` })
  // RFC 9068 §2.2: these claims are required, each with its type.
  if (!isNonEmptyString(sub) || !isNonEmptyString(jti) || !isNonEmptyString(clientId) || typeof scope !== 'string')
    throw refuse('token_claims')
  if (!isTime(exp) || !isTime(iat) || !Array.isArray(audience) || !audience.every(isNonEmptyString))
    throw refuse('token_claims')
  // RFC 9396 §9.1: an array of objects that have a type.
  if (!Array.isArray(details) || !details.every(isDetail)) throw refuse('token_claims')
  // RFC 9068 §4: a token for other APIs is not accepted here.
  if (findResourceName(expected.audience, audience) === undefined)
    throw refuse('token_audience', { comparison: `expected ${expected.audience}, found ${forLog(aud)}` })
  checkTimes({ exp, iat, nbf: claims['nbf'] }, now, expected.clockSkew)
  // RFC 9449 §7.1, RFC 8705 §3: a token that is bound to a key is not a bearer token.
  const { cnf } = claims
  const { proven } = expected
  if (cnf !== undefined && (proven === undefined || !isBoundTo(cnf, proven))) throw refuse('token_bound')
  // RFC 9449 §7.1: a token that is sent with a proof must be bound to the key of the proof.
  if (cnf === undefined && proven !== undefined && 'jkt' in proven) throw refuse('token_unbound')

  const scopes = scope.split(' ').filter((value) => value !== '')
  return {
    issuer: iss,
    subject: sub,
    clientId,
    tokenId: jti,
    audience,
    scopes,
    authorizationDetails: details,
    organizationId: isNonEmptyString(claims['org_id']) ? claims['org_id'] : undefined,
    issuedAt: iat,
    expiresAt: exp,
    claims,
  }
}

/** Tells whether the token is bound to this key, and to nothing else that would need a proof too (RFC 7800 §3.1). */
function isBoundTo(cnf: unknown, proven: ProvenKey): boolean {
  if (typeof cnf !== 'object' || cnf === null || Object.keys(cnf).length !== 1) return false
  const [[name, thumbprint] = []] = Object.entries(proven)
  return Object.entries(cnf).every(([member, value]) => member === name && value === thumbprint)
}

function checkTimes(
  { exp, iat, nbf }: { readonly exp: number; readonly iat: number; readonly nbf: unknown },
  now: EpochMilliseconds,
  clockSkew: number,
): void {
  const seconds = now / 1000
  // RFC 7519 §4.1.4: the token must not be accepted at or after this time.
  if (seconds >= exp + clockSkew)
    throw refuse('token_expired', { comparison: `expired ${Math.floor(seconds - exp)} seconds ago by this clock` })
  // RFC 7519 §4.1.5: the token must not be accepted before this time.
  if (nbf !== undefined && !(isTime(nbf) && nbf <= seconds + clockSkew))
    throw refuse('token_not_yet_valid', { comparison: `nbf is ${forLog(nbf)}, this clock says ${Math.floor(seconds)}` })
  // A token that was issued in the future comes from a clock that cannot be trusted.
  if (iat > seconds + clockSkew)
    throw refuse('token_not_yet_valid', {
      comparison: `issued ${Math.ceil(iat - seconds)} seconds ahead of this clock`,
    })
}

/** A claim of the token as JSON, shortened. */
const forLog = (claim: unknown): string => (JSON.stringify(claim) ?? 'none').slice(0, 200)

const isDetail = (value: unknown): value is AuthorizationDetail =>
  typeof value === 'object' && value !== null && 'type' in value && isNonEmptyString(value.type)

const isNonEmptyString = (value: unknown): value is string => typeof value === 'string' && value !== ''

const isTime = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0

/** In characters. The access tokens of the authorization server are far shorter. */
const maxLength = 8192
