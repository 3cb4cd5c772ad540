import { importJWK } from 'jose'

import { isJsonObject, parseJsonObject, type JsonObject } from './json-object.ts'

/** The algorithms that the authorization server signs with. Each key has one of them, whatever a token says. */
export type SignatureAlgorithm = 'ES256' | 'RS256'

/** A public key that signatures are verified with, by the one algorithm that is its own (RFC 8725 §3.1). */
export interface VerificationKey {
  readonly algorithm: SignatureAlgorithm
  readonly key: CryptoKey
}

/**
 * Reads a JWK set (RFC 7517 §5): the keys by `kid` that can verify a signature. A key of another kind, or that is broken,
 * is left out and does not spoil the others.
 * @returns `undefined` when the text is no JWK set, or holds no usable key.
 */
export async function readKeySet(text: string): Promise<ReadonlyMap<string, VerificationKey> | undefined> {
  const jwks = parseJsonObject(text)?.['keys']
  if (!Array.isArray(jwks) || jwks.length > maxKeys) return undefined

  const entries = await Promise.all(jwks.filter(isJsonObject).map(readKey))
  const keys = new Map(entries.filter((entry) => entry !== undefined))
  return keys.size === 0 ? undefined : keys
}

async function readKey(jwk: JsonObject): Promise<readonly [string, VerificationKey] | undefined> {
  const { kid, use = 'sig' } = jwk
  const algorithm = algorithmOf(jwk)
  // RFC 7517 §4.2: a key for encryption verifies no signature.
  if (typeof kid !== 'string' || use !== 'sig' || algorithm === undefined) return undefined
  try {
    const key = await importJWK({ ...publicMembers(jwk) }, algorithm)
    return key instanceof Uint8Array ? undefined : [kid, { algorithm, key }]
  } catch {
    // jose throws on members that make no key.
    return undefined
  }
}

/** By the key's kind; a key that names another algorithm is not one of ours (RFC 7517 §4.4). */
function algorithmOf({ kty, crv, alg }: JsonObject): SignatureAlgorithm | undefined {
  const algorithm = kty === 'EC' && crv === 'P-256' ? 'ES256' : kty === 'RSA' ? 'RS256' : undefined
  return alg === undefined || alg === algorithm ? algorithm : undefined
}

/** The members of a public EC or RSA key (RFC 7518 §6.2.1, §6.3.1), whatever else was published by mistake. */
const publicMembers = (jwk: JsonObject): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ['kty', 'crv', 'x', 'y', 'n', 'e'].flatMap((name) => {
      const value = jwk[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )

const maxKeys = 100
