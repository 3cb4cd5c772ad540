import {
  isCompactJws as isJws,
  decodeBase64url,
  decodeBody,
  digestSecret,
  forgetOldest,
  parseJsonObject,
  readPlainHeader,
} from '@mintmark/internal'
import type { EpochSeconds, JsonObject } from '@mintmark/storage-interface'
import type { SecretDigest } from '@mintmark/storage-interface/stores'

import { importVerifier, type VerifySignature } from './jws.ts'
import type { KeyRing, PublicKey } from './ring.ts'

/** The kinds of JWT that this server verifies in addition to signing them, by their `typ` header. */
type OwnJwtType = 'at+jwt' | 'JWT'

export interface VerifyOwnJwtDependencies {
  readonly issuer: string
  readonly keys: KeyRing
  readonly verifiedJwts: VerifiedJwts
}

/**
 * Verifies a JWT that this server signed: canonical form, a published key, that key's only algorithm, the expected type
 * and this issuer (RFC 8725 §3.1, §3.11). Keys in the token's header or referenced by it are ignored. A signature that
 * has been verified is not computed again while its key is published.
 * @returns the payload, whose other claims the caller checks; `undefined` if any of these checks fails.
 */
export const verifyOwnJwt = (
  token: string,
  type: OwnJwtType,
  deps: VerifyOwnJwtDependencies,
): Promise<JsonObject | undefined> => verifySignedBy(deps.keys.publicKeys(), { token, type }, deps)

/**
 * Verifies an ID token that a client sends back as a hint. Its age does not matter, so keys that are no longer
 * published verify it too, unless they were dropped in an emergency (RP-Initiated Logout §2, OIDC Core §3.1.2.1).
 */
export const verifyHint = (token: string, deps: VerifyOwnJwtDependencies): Promise<JsonObject | undefined> =>
  verifySignedBy(deps.keys.hintKeys?.() ?? deps.keys.publicKeys(), { token, type: 'JWT' }, deps)

async function verifySignedBy(
  accepted: Promise<readonly PublicKey[]>,
  { token, type }: { readonly token: string; readonly type: OwnJwtType },
  deps: VerifyOwnJwtDependencies,
): Promise<JsonObject | undefined> {
  const publicKeys = await accepted
  const digesting = digestSecret(token)
  const digest = digesting instanceof Promise ? await digesting : digesting
  const known = deps.verifiedJwts.recall(digest)
  // A remembered signature is valid only while its key is accepted.
  const isTrusted = known !== undefined && publicKeys.includes(known.key)
  const jwt = isTrusted ? known : await verify(token, publicKeys, deps.verifiedJwts)
  if (jwt === undefined) return undefined
  if (!isTrusted) deps.verifiedJwts.remember(digest, jwt)
  // RFC 8725 §3.11: one kind of JWT is never taken for another.
  return jwt.type === type && jwt.payload['iss'] === deps.issuer ? jwt.payload : undefined
}

/**
 * Whether the token has been issued and has not expired at `now`; `exp` and `iat` must be whole numbers (RFC 7519
 * §4.1).
 */
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
  const header = isCompactJws(token) ? readPlainHeader(token) : undefined
  const key = publicKeys.find(({ keyId }) => keyId === header?.kid)
  // RFC 8725 §3.1: the key decides the algorithm, not the token.
  if (header?.typ === undefined || key === undefined || key.algorithm !== header.alg) return undefined

  const [head = '', body = '', signature = ''] = token.split('.')
  const verifySignature = await verifiedJwts.verifier(key)
  const isGenuine = await verifySignature(decodeBase64url(signature), new TextEncoder().encode(`${head}.${body}`))
  const payload = isGenuine ? parseJsonObject(decodeBody(decodeBase64url(body)) ?? '') : undefined
  return payload === undefined ? undefined : { type: header.typ, key, payload }
}

/** How far ahead the clock of another server may be, in seconds. */
const clockSkew = 10

/** A JWT of this server with a valid signature. */
interface VerifiedJwt {
  readonly type: string
  readonly key: PublicKey
  readonly payload: JsonObject
}

/**
 * Caches verified signatures and imported keys: a key is imported once, and a JWT that is presented again costs one
 * digest. The cache does not imply that the token is unexpired or active, nor that its key is still published.
 */
interface VerifiedJwts {
  recall(digest: SecretDigest): VerifiedJwt | undefined
  /** Keeps the latest 4,096. */
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
      const imported = importVerifier(key)
      verifiers.set(key, imported)
      return imported
    },
  }
}

/** An entry takes about a kilobyte. */
const maxJwts = 4096

/** Whether the string is a compact JWS of acceptable size. */
export const isCompactJws = (text: string): boolean => isJws(text, maxLength)

/** In characters; well above the size of this server's tokens. */
const maxLength = 8192
