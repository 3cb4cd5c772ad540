import { isCompactJws } from '@mintmark/internal'
import type { ProtectedHeaderParameters } from 'jose'
import { decodeProtectedHeader } from 'jose/decode/protected_header'
import { compactVerify } from 'jose/jws/compact/verify'

import { parseJsonObject, type JsonObject } from './http-client.ts'
import type { KeySet, VerificationKey } from './key-set.ts'
import { refuse } from './refusals.ts'

/** A type of JWS that the authorization server signs. */
export interface JwsType {
  /** Its `typ` header, exactly (RFC 8725 §3.11). */
  readonly type: 'at+jwt' | 'revocation-feed+jwt'
  /** In characters. */
  readonly maxLength: number
}

/**
 * Verifies a JWS of the authorization server: canonical form, the expected type, a published key, and that key's one
 * algorithm (RFC 8725 §3.1, §3.11). Keys in the header, or that it refers to, are ignored.
 * @returns the payload; the caller checks its claims.
 * @throws AccessRefusedError `token_malformed`, `token_header`, `token_type`, `token_key_unknown`, `token_signature`,
 *   `token_payload`, or `authorization_server_unavailable` when there are no keys.
 */
export async function verifyJws(text: string, expected: JwsType, keys: KeySet): Promise<JsonObject> {
  // RFC 7515 §3.1: three parts and nothing else. A cheap check before anything is decoded.
  if (!isCompactJws(text, expected.maxLength)) throw refuse('token_malformed')
  const { alg, kid, typ } = readHeader(text)
  // RFC 8725 §3.11: a JWT of one type is never accepted as another.
  if (typ !== expected.type) throw refuse('token_type')
  const key = typeof kid === 'string' ? await keys.find(kid) : undefined
  // RFC 8725 §3.1: the key decides the algorithm, not the token.
  if (key === undefined || key.algorithm !== alg) throw refuse('token_key_unknown')
  const payload = parseJsonObject(decodeUtf8(await verifySignature(text, key)))
  // RFC 7519 §7.2: the claims are a JSON object.
  if (payload === undefined) throw refuse('token_payload')
  return payload
}

/** The name of the key that signed a verified JWS. */
export function signingKeyOf(verified: string): string {
  const { kid } = readHeader(verified)
  // RFC 7515 §4.1.4: `verifyJws` refuses a token without it.
  if (kid === undefined) throw refuse('token_header')
  return kid
}

/** The authorization server writes these three members; anything else, such as `crit` or `jwk`, is not its own (RFC 7515 §4.1.11). */
function readHeader(text: string): ProtectedHeaderParameters {
  try {
    const header = decodeProtectedHeader(text)
    if (Object.keys(header).every((name) => ['alg', 'typ', 'kid'].includes(name))) return header
  } catch {
    // jose throws for a header that is not a JSON object, which is refused below like any other.
  }
  // RFC 7515 §5.2: a JWS whose header is not understood is invalid.
  throw refuse('token_header')
}

async function verifySignature(text: string, { key, algorithm }: VerificationKey): Promise<Uint8Array> {
  try {
    return (await compactVerify(text, key, { algorithms: [algorithm] })).payload
  } catch {
    // RFC 7515 §5.2: jose throws for whatever does not verify.
    throw refuse('token_signature')
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    // RFC 7519 §7.2: claims are UTF-8.
    throw refuse('token_payload')
  }
}
