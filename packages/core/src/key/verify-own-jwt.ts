import type { EpochSeconds, JsonObject } from '@mintmark/storage-interface'
import type { ProtectedHeaderParameters } from 'jose'
import { decodeProtectedHeader } from 'jose/decode/protected_header'

import { decodeBody } from '../http/index.ts'
import { parseJsonObject } from '../json/json-object.ts'
import { decodeBase64url } from '../runtime/base64url.ts'
import { digestSecret } from '../runtime/digest.ts'
import { isCompactJws } from './compact-jws.ts'
import type { KeyRing, PublicKey } from './key-ring.ts'
import type { VerifiedJwt, VerifiedJwts } from './verified-jwts.ts'

/** The kinds of JWT that this server signs, by their `typ` header. */
export type OwnJwtType = 'at+jwt' | 'JWT'

export interface VerifyOwnJwtDependencies {
  readonly issuer: string
  readonly keys: KeyRing
  readonly verifiedJwts: VerifiedJwts
}

/**
 * Verifies a JWT that this server signed: canonical form, a published key, that key's one algorithm, the expected type
 * and this issuer (RFC 8725 §3.1, §3.11). Keys in or behind the token's header are not looked at. A signature that was
 * found good is not computed again while its key is published.
 * @returns the payload, whose other claims the caller judges; `undefined` for anything else.
 */
export async function verifyOwnJwt(
  token: string,
  type: OwnJwtType,
  deps: VerifyOwnJwtDependencies,
): Promise<JsonObject | undefined> {
  const digest = await digestSecret(token)
  const publicKeys = await deps.keys.publicKeys()
  const known = deps.verifiedJwts.recall(digest)
  // A key that is published no more vouches for nothing; one that is published again has to be looked at again.
  const isVouchedFor = known !== undefined && publicKeys.includes(known.key)
  const jwt = isVouchedFor ? known : await verify(token, publicKeys, deps.verifiedJwts)
  if (jwt === undefined) return undefined
  if (!isVouchedFor) deps.verifiedJwts.remember(digest, jwt)
  // RFC 8725 §3.11: one kind of JWT is never taken for another.
  return jwt.type === type && jwt.payload['iss'] === deps.issuer ? jwt.payload : undefined
}

/** Whether the time claims hold at `now`: both are whole numbers, it has been issued and has not expired (RFC 7519 §4.1). */
export function isCurrent(payload: JsonObject, now: EpochSeconds): boolean {
  const { exp, iat, nbf } = payload
  if (!Number.isSafeInteger(exp) || !Number.isSafeInteger(iat)) return false
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf <= now)) return false
  return Number(iat) <= now + clockSkew && now < Number(exp)
}

async function verify(
  token: string,
  publicKeys: readonly PublicKey[],
  verifiedJwts: VerifiedJwts,
): Promise<VerifiedJwt | undefined> {
  const header = isCompactJws(token) ? readHeader(token) : undefined
  const key = publicKeys.find(({ keyId }) => keyId === header?.kid)
  // RFC 8725 §3.1: the key decides the algorithm, not the token.
  if (header?.typ === undefined || key === undefined || key.algorithm !== header.alg) return undefined

  const [head = '', body = '', signature = ''] = token.split('.')
  const verifySignature = await verifiedJwts.verifier(key)
  const isGenuine = await verifySignature(decodeBase64url(signature), new TextEncoder().encode(`${head}.${body}`))
  const payload = isGenuine ? parseJsonObject(decodeBody(decodeBase64url(body)) ?? '') : undefined
  return payload === undefined ? undefined : { type: header.typ, key, payload }
}

/** The header of a JWT that this server may have signed. It writes three members: `crit`, `jwk` and their kin are another's. */
function readHeader(token: string): ProtectedHeaderParameters | undefined {
  try {
    const header = decodeProtectedHeader(token)
    return Object.keys(header).every((name) => ['alg', 'typ', 'kid'].includes(name)) ? header : undefined
  } catch {
    // jose throws on a header that is not a JSON object.
    return undefined
  }
}

/** Seconds by which another server's clock may be ahead. */
const clockSkew = 10
