import type { ProtectedHeaderParameters } from 'jose'
import { decodeProtectedHeader } from 'jose/decode/protected_header'
import { compactVerify } from 'jose/jws/compact/verify'

import { invalidToken } from '../access/access-refusal.ts'
import { parseJsonObject, type JsonObject } from '../authorization-server/json-object.ts'
import type { VerificationKey } from '../authorization-server/read-key-set.ts'
import type { KeySet } from '../authorization-server/remote-key-set.ts'
import { isCompactJws } from './compact-jws.ts'

/** A kind of JWS that the authorization server signs. */
export interface JwsKind {
  /** Its `typ` header, to the letter (RFC 8725 §3.11). */
  readonly type: 'at+jwt' | 'revocation-feed+jwt'
  /** In characters. */
  readonly maxLength: number
}

/**
 * Verifies what the authorization server signed: canonical form, the expected kind, a published key, and that key's one
 * algorithm (RFC 8725 §3.1, §3.11). Keys in or behind the header are not looked at.
 * @returns the payload, whose claims the caller judges.
 * @throws AccessRefusal invalid_token — reason `token_malformed` | `token_header` | `token_type` | `token_key_unknown` |
 *   `token_signature` | `token_payload`; temporarily_unavailable when there are no keys.
 */
export async function verifyJws(text: string, kind: JwsKind, keys: KeySet): Promise<JsonObject> {
  // RFC 7515 §3.1: three parts and nothing else; cheap, and before anything is decoded.
  if (!isCompactJws(text, kind.maxLength)) throw invalidToken('token_malformed')
  const { alg, kid, typ } = readHeader(text)
  // RFC 8725 §3.11: one kind of JWT is never taken for another.
  if (typ !== kind.type) throw invalidToken('token_type')
  const key = typeof kid === 'string' ? await keys.find(kid) : undefined
  // RFC 8725 §3.1: the key decides the algorithm, not the token.
  if (key === undefined || key.algorithm !== alg) throw invalidToken('token_key_unknown')
  const payload = parseJsonObject(decodeUtf8(await verifySignature(text, key)))
  // RFC 7519 §7.2: the claims are a JSON object.
  if (payload === undefined) throw invalidToken('token_payload')
  return payload
}

/** The authorization server writes three members: `crit`, `b64`, `jwk` and their kin are another's (RFC 7515 §4.1.11). */
function readHeader(text: string): ProtectedHeaderParameters {
  try {
    const header = decodeProtectedHeader(text)
    if (Object.keys(header).every((name) => ['alg', 'typ', 'kid'].includes(name))) return header
  } catch {
    // jose throws on a header that is not a JSON object: that is no other case than the one below.
  }
  // RFC 7515 §5.2: a header that is not understood is not verified.
  throw invalidToken('token_header')
}

async function verifySignature(text: string, { key, algorithm }: VerificationKey): Promise<Uint8Array> {
  try {
    return (await compactVerify(text, key, { algorithms: [algorithm] })).payload
  } catch {
    // RFC 7515 §5.2: jose throws on whatever does not verify; for the caller it is all the same.
    throw invalidToken('token_signature')
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    // RFC 7519 §7.2: claims are UTF-8.
    throw invalidToken('token_payload')
  }
}
