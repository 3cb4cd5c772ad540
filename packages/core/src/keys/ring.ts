import type { DurationSeconds, JsonObject, KeyId } from '@mintmark/storage-interface'

/** Signature algorithms that tokens are signed with (RFC 7518 §3.1, RFC 8037 §3.1; ML-DSA-65 where the runtime has it). */
export type SigningAlgorithm = 'RS256' | 'PS256' | 'ES256' | 'EdDSA' | 'ML-DSA-65'

/** The JWS signature over the bytes (RFC 7515 §5.1 step 5); for ECDSA `r || s` (RFC 7518 §3.4), not DER. */
export type Sign = (bytes: Uint8Array) => Promise<Uint8Array>

/** A key that can sign. The private half may live elsewhere, in a KMS or an HSM: only `sign` is asked of it. */
export interface Signer {
  readonly keyId: KeyId
  readonly algorithm: SigningAlgorithm
  readonly sign: Sign
}

/** A public key as the key set shows it: `kid`, `alg`, `use` and the key's own members (RFC 7517 §4). */
export interface PublicKey {
  readonly keyId: KeyId
  readonly algorithm: SigningAlgorithm
  readonly jwk: JsonObject
}

/** The issuer's signing keys: one signs for each algorithm, and all that may still be in use are published. */
export interface KeyRing {
  /** The algorithms it can sign with, the preferred one for access tokens first. */
  readonly algorithms: readonly [SigningAlgorithm, ...SigningAlgorithm[]]
  /** For how long a key's signatures are accepted after its last: no token may live longer. Default: for ever. */
  readonly retirement?: DurationSeconds
  /** The key that signs with the algorithm now. */
  signer(algorithm: SigningAlgorithm): Promise<Signer>
  /** Every key whose signatures are accepted, oldest first; the same list, and the same keys in it, while they stay the same. */
  publicKeys(): Promise<readonly PublicKey[]>
}

/** Whether the name is that of an algorithm which tokens are signed with. */
export const isSigningAlgorithm = (name: string): name is SigningAlgorithm => Object.hasOwn(everywhere, name)

/**
 * Whether this runtime's Web Crypto knows the algorithm. Post-quantum signatures are new: a runtime that has them says so
 * by `SubtleCrypto.supports` (Modern Algorithms in the Web Cryptography API).
 */
export function isRuntimeAlgorithm(algorithm: SigningAlgorithm): boolean {
  if (everywhere[algorithm]) return true
  const subtle = crypto.subtle.constructor as { supports?(operation: string, algorithm: string): boolean }
  return subtle.supports?.('verify', algorithm) === true
}

/** Which algorithms every runtime has that this library runs on. */
const everywhere: Readonly<Record<SigningAlgorithm, boolean>> = {
  RS256: true,
  PS256: true,
  ES256: true,
  EdDSA: true,
  'ML-DSA-65': false,
}
