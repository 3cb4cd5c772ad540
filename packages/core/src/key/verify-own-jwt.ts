import type { EpochSeconds, JsonObject } from '@mintmark/storage-interface'
import { compactVerify, decodeProtectedHeader, importJWK, type ProtectedHeaderParameters } from 'jose'

import { parseJsonObject } from '../json/json-object.ts'
import { isCompactJws } from './compact-jws.ts'
import type { KeyRing, PublicKey } from './key-ring.ts'

/** The kinds of JWT that this server signs, by their `typ` header. */
export type OwnJwtType = 'at+jwt' | 'JWT'

/**
 * Verifies a JWT that this server signed: canonical form, a published key, that key's one algorithm, the expected type
 * and this issuer (RFC 8725 §3.1, §3.11). Keys in or behind the token's header are not looked at.
 * @returns the payload, whose other claims the caller judges; `undefined` for anything else.
 */
export async function verifyOwnJwt(
  token: string,
  type: OwnJwtType,
  deps: { readonly issuer: string; readonly keys: KeyRing },
): Promise<JsonObject | undefined> {
  const key = isCompactJws(token) ? await namedKey(token, type, deps.keys) : undefined
  const payload = key === undefined ? undefined : await verifiedPayload(token, key)
  return payload !== undefined && payload['iss'] === deps.issuer ? payload : undefined
}

/** Whether the time claims hold at `now`: both are whole numbers, it has been issued and has not expired (RFC 7519 §4.1). */
export function isCurrent(payload: JsonObject, now: EpochSeconds): boolean {
  const { exp, iat, nbf } = payload
  if (!Number.isSafeInteger(exp) || !Number.isSafeInteger(iat)) return false
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf <= now)) return false
  return Number(iat) <= now + clockSkew && now < Number(exp)
}

async function namedKey(token: string, type: OwnJwtType, keys: KeyRing): Promise<PublicKey | undefined> {
  const header = readHeader(token)
  // RFC 8725 §3.11: one kind of JWT is never taken for another.
  if (header?.typ !== type) return undefined
  const key = (await keys.publicKeys()).find(({ keyId }) => keyId === header.kid)
  // RFC 8725 §3.1: the key decides the algorithm, not the token.
  return key?.algorithm === header.alg ? key : undefined
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

async function verifiedPayload(token: string, key: PublicKey): Promise<JsonObject | undefined> {
  try {
    const { payload } = await compactVerify(token, await importJWK({ ...key.jwk }, key.algorithm), {
      algorithms: [key.algorithm],
    })
    return parseJsonObject(new TextDecoder('utf-8', { fatal: true }).decode(payload))
  } catch {
    // jose throws on what does not verify, the decoder on what is not UTF-8; for the caller they are all the same.
    return undefined
  }
}

/** Seconds by which another server's clock may be ahead. */
const clockSkew = 10
