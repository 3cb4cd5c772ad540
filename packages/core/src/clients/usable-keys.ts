import type { JSONWebKeySet, JWK } from 'jose'

/**
 * Whether the set has a key with which a client can sign by one of the algorithms: of a suitable type, not too short, not
 * reserved for encryption, and not to be confused with another key of the set (RFC 7517 §4.2 to §4.5).
 */
export function hasSigningKey(keySet: JSONWebKeySet | undefined, algorithms: readonly string[]): boolean {
  const suitable = (keySet?.keys ?? []).filter((key) => algorithms.some((name) => suits(key, name)))
  // RFC 7517 §4.5: the header of a JWT names its key by `kid`, so no other suitable key of the type may have the same one.
  return suitable.some((key) => suitable.filter(({ kid, kty }) => kid === key.kid && kty === key.kty).length === 1)
}

function suits(key: JWK, algorithm: string): boolean {
  const { kty, crv, use, alg, key_ops: operations, n = '' } = key
  // SPIFFE Trust Domain §4.2.2: the keys of JWT-SVIDs have a `use` of their own.
  if (use !== undefined && use !== 'sig' && use !== 'jwt-svid') return false
  if (operations?.includes('verify') === false) return false
  if (alg !== undefined && canonical(alg) !== canonical(algorithm)) return false
  switch (algorithm) {
    case 'RS256':
    case 'PS256':
      // RFC 7518 §3.3, §3.5: at least 2048 bits, which are 342 characters of base64url.
      return kty === 'RSA' && n.length >= 342
    case 'ES256':
      return kty === 'EC' && crv === 'P-256'
    case 'EdDSA':
    case 'Ed25519':
      return kty === 'OKP' && crv === 'Ed25519'
    default:
      return false
  }
}

/** RFC 9864 §2.2: `Ed25519` replaces `EdDSA`, which means the same for the keys that this server accepts. */
const canonical = (algorithm: string): string => (algorithm === 'EdDSA' ? 'Ed25519' : algorithm)

/** Adds to each of the two names of an algorithm the other one. */
export const withSynonyms = (algorithms: readonly string[]): readonly string[] =>
  algorithms.some((name) => canonical(name) === 'Ed25519')
    ? [...new Set([...algorithms, 'EdDSA', 'Ed25519'])]
    : algorithms

/** Returns the set for a JWT with this algorithm: a key for the other name of the algorithm fits too. */
export const forAlgorithm = (keySet: JSONWebKeySet, algorithm: string | undefined): JSONWebKeySet =>
  algorithm === undefined || canonical(algorithm) !== 'Ed25519'
    ? keySet
    : {
        keys: keySet.keys.map((key) =>
          key.alg !== undefined && key.alg !== algorithm && canonical(key.alg) === 'Ed25519'
            ? { ...key, alg: algorithm }
            : key,
        ),
      }
