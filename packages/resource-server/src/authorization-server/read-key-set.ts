import type { CryptoKey } from 'jose'
import { importJWK } from 'jose/key/import'

import { isJsonObject, parseJsonObject, type JsonObject } from './json-object.ts'

/** The algorithms that the authorization server signs with. Each key has one of them, whatever a token says. */
const signatureAlgorithms = ['ES256', 'EdDSA', 'ML-DSA-65', 'PS256', 'RS256'] as const

type SignatureAlgorithm = (typeof signatureAlgorithms)[number]

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
  // RFC 7517 §4.4: the authorization server says of each of its keys which algorithm is its own.
  const algorithm = signatureAlgorithms.find((known) => known === jwk['alg'])
  // RFC 7517 §4.2: a key for encryption verifies no signature.
  if (typeof kid !== 'string' || use !== 'sig' || algorithm === undefined) return undefined
  try {
    const key = await importJWK({ ...publicMembers(jwk) }, algorithm)
    return key instanceof Uint8Array ? undefined : [kid, { algorithm, key }]
  } catch {
    // jose throws on members that make no key, or none of this algorithm, or of an algorithm that the runtime lacks.
    return undefined
  }
}

/** The members of a public key (RFC 7518 §6.2.1, §6.3.1, RFC 8037 §2, and of ML-DSA), whatever else was published by mistake. */
const publicMembers = (jwk: JsonObject): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ['kty', 'alg', 'crv', 'x', 'y', 'n', 'e', 'pub'].flatMap((name) => {
      const value = jwk[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )

const maxKeys = 100
