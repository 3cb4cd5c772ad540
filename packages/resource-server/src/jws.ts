import { isCompactJws, readPlainHeader } from '@mintmark/internal'
import { compactVerify } from 'jose/jws/compact/verify'

import { parseJsonObject, type JsonObject } from './http-client.ts'
import type { KeySet, VerificationKey } from './key-set.ts'
import { refuse } from './refusals.ts'

/** A type of JWS that the authorization server signs. */
export interface JwsType {
  /** The exact value of its `typ` header (RFC 8725 §3.11). */
  readonly type: 'at+jwt' | 'revocation-feed+jwt'
  /** In characters. */
  readonly maxLength: number
}

/**
 * Verifies a JWS of the authorization server: its canonical form, its type, and its signature with a published key and the
 * one algorithm of that key (RFC 8725 §3.1, §3.11). A header that contains or references a key is refused.
 *
 * The authorization server has another verifier for the same tokens, in `core/src/keys/verify-jwt.ts`. They share the form of
 * a token, and not the steps: an API tells its operator which step failed, and fetches keys; the authorization server has
 * one answer for all failures, keeps verified tokens, and verifies with Node's own crypto, which would make this package
 * larger. `verifyWithKeys` in core tries all keys that fit, which a token of the authorization server never needs.
 * @returns the payload; the caller checks its claims.
 * @throws AccessRefusedError `token_malformed`, `token_header`, `token_type`, `token_key_unknown`, `token_signature`,
 *   `token_payload`, or `authorization_server_unavailable` when the keys could not be fetched.
 */
export async function verifyJws(text: string, expected: JwsType, keys: KeySet): Promise<JsonObject> {
  // RFC 7515 §3.1: a compact JWS has exactly three parts. This check is cheap and comes before anything is decoded.
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

/** Returns the name (`kid`) of the key that signed a verified JWS. */
export function signingKeyOf(verified: string): string {
  const { kid } = readHeader(verified)
  // RFC 7515 §4.1.4: cannot happen, because `verifyJws` refuses a token without `kid`.
  if (kid === undefined) throw refuse('token_header')
  return kid
}

function readHeader(text: string): NonNullable<ReturnType<typeof readPlainHeader>> {
  const header = readPlainHeader(text)
  // RFC 7515 §5.2: a JWS whose header is not understood is invalid.
  if (header === undefined) throw refuse('token_header')
  return header
}

async function verifySignature(text: string, { key, algorithm }: VerificationKey): Promise<Uint8Array> {
  try {
    return (await compactVerify(text, key, { algorithms: [algorithm] })).payload
  } catch {
    // RFC 7515 §5.2: jose throws for every signature that it cannot verify.
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
