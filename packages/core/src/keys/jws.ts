import type { EpochSeconds, JsonObject, SecretDigest } from '@mintmark/storage-interface'
import type { ProtectedHeaderParameters } from 'jose'
import { decodeProtectedHeader } from 'jose/decode/protected_header'

import { decodeBody } from '../http/index.ts'
import { parseJsonObject } from '../json/json-object.ts'
import { decodeBase64url, encodeBase64url } from '../runtime/base64url.ts'
import { digestSecret } from '../runtime/digest.ts'
import { forgetOldest } from '../runtime/forget-oldest.ts'
import type { KeyRing, PublicKey, Signer } from './ring.ts'
import { signatureVerifier, type VerifySignature } from './signature.ts'

/**
 * Signs claims as a compact JWS (RFC 7515 §3.1).
 * @param type the `typ` header: what the token is, so that one kind is never taken for another (RFC 8725 §3.11).
 */
export async function signJwt(type: string, claims: JsonObject, signer: Signer): Promise<string> {
  const header = encodeBase64url(JSON.stringify({ alg: signer.algorithm, typ: type, kid: signer.keyId }))
  const signingInput = `${header}.${encodeBase64url(JSON.stringify(claims))}`
  const signature = await signer.sign(new TextEncoder().encode(signingInput))
  return `${signingInput}.${encodeBase64url(signature)}`
}

/** The kinds of JWT that this server signs, by their `typ` header. */
type OwnJwtType = 'at+jwt' | 'JWT'

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

/** A JWT of this server's whose signature was good: of which kind it is, which key signed it, and what it says. */
interface VerifiedJwt {
  readonly type: string
  readonly key: PublicKey
  readonly payload: JsonObject
}

/**
 * What one server remembers of signatures, so that a key is imported once and a JWT that comes again costs a digest. It
 * says nothing about expiry, revocation or standing, nor whether the key is still published.
 */
interface VerifiedJwts {
  recall(digest: SecretDigest): VerifiedJwt | undefined
  /** Remembers 4,096 of them; what came first is forgotten first. */
  remember(digest: SecretDigest, jwt: VerifiedJwt): void
  verifier(key: PublicKey): Promise<VerifySignature>
}

export function createVerifiedJwts(): VerifiedJwts {
  const byDigest = new Map<SecretDigest, VerifiedJwt>()
  const verifiers = new WeakMap<PublicKey, Promise<VerifySignature>>()

  return {
    recall: (digest) => byDigest.get(digest),
    remember(digest, jwt) {
      byDigest.set(digest, jwt)
      forgetOldest(byDigest, maxJwts)
    },
    verifier(key) {
      const known = verifiers.get(key)
      if (known !== undefined) return known
      const imported = signatureVerifier(key)
      verifiers.set(key, imported)
      return imported
    },
  }
}

/** About a kilobyte each. */
const maxJwts = 4096

/**
 * Whether the text is a compact JWS of bearable size, spelled the one canonical way: decoders forgive padding, white
 * space and spare bits, and would let one token have many spellings (RFC 7515 §2, RFC 4648 §3.5).
 */
export const isCompactJws = (text: string): boolean => text.length <= maxLength && compactJws.test(text)

/** In characters: well above any token of ours. */
const maxLength = 8192

/** Base64url of at least one byte: whole groups of four, and an end of two or three whose spare bits are zero. */
const part = '(?=[\\w-])(?:[\\w-]{4})*(?:[\\w-][AQgw]|[\\w-]{2}[AEIMQUYcgkosw048])?'

const compactJws = new RegExp(`^${part}\\.${part}\\.${part}$`)
