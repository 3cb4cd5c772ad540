import {
  clientId,
  epochSeconds,
  familyId,
  type Brand,
  type ClientId,
  type EpochSeconds,
  type FamilyId,
  type JsonObject,
  type Storage,
} from '@mintmark/storage-interface'

import { isCurrent, verifyOwnJwt, type VerifyOwnJwtDependencies } from '../keys/jws.ts'
import { digestSecret } from '../runtime/digest.ts'

/** What an access token says. */
interface AccessToken {
  readonly format: 'jwt' | 'opaque'
  /** As in RFC 9068 §2.2. */
  readonly claims: JsonObject
  readonly subject: string
  readonly clientId: ClientId
  readonly tokenId: string
  readonly audience: readonly string[]
  readonly scopes: readonly string[]
  /** `undefined` for a client that acts for itself. */
  readonly familyId: FamilyId | undefined
  readonly expiresAt: EpochSeconds
}

/** An access token of this server's that has not expired. Whether it is still honoured is another question. */
export type VerifiedAccessToken = Brand<AccessToken, 'VerifiedAccessToken'>

export interface VerifyAccessTokenDependencies extends VerifyOwnJwtDependencies {
  readonly storage: Storage
}

/**
 * Verifies a presented access token: a JWT by its signature, an opaque one by finding it.
 * @returns evidence, or `undefined` for everything that is not a current access token of this server's.
 */
export async function verifyAccessToken(
  token: string,
  now: EpochSeconds,
  deps: VerifyAccessTokenDependencies,
): Promise<VerifiedAccessToken | undefined> {
  if (token.includes('.')) {
    const claims = await verifyOwnJwt(token, 'at+jwt', deps)
    return claims !== undefined && isCurrent(claims, now) ? readClaims(claims, 'jwt') : undefined
  }
  if (!/^[A-Za-z0-9_-]{43}$/.test(token)) return undefined
  const record = await deps.storage.opaqueTokens.find(await digestSecret(token), now)
  return record !== undefined && isCurrent(record.claims, now) ? readClaims(record.claims, 'opaque') : undefined
}

/** RFC 9068 §2.2: what a claim is missing, or of another type, is not an access token. */
function readClaims(claims: JsonObject, format: 'jwt' | 'opaque'): VerifiedAccessToken | undefined {
  const { sub, aud, jti, client_id: client, scope = '', family, exp } = claims
  const audience = typeof aud === 'string' ? [aud] : aud
  if (!isNonEmptyString(sub) || !isNonEmptyString(jti) || !isNonEmptyString(client) || typeof scope !== 'string')
    return undefined
  if (!Array.isArray(audience) || audience.length === 0 || !audience.every(isNonEmptyString)) return undefined
  if (family !== undefined && !isNonEmptyString(family)) return undefined

  const token: AccessToken = {
    format,
    claims,
    subject: sub,
    clientId: clientId(client),
    tokenId: jti,
    audience,
    scopes: scope.split(' ').filter((value) => value !== ''),
    familyId: family === undefined ? undefined : familyId(family),
    expiresAt: epochSeconds(Number(exp)),
  }
  return token as VerifiedAccessToken
}

const isNonEmptyString = (value: unknown): value is string => typeof value === 'string' && value !== ''
