import type { DurationSeconds, JsonObject } from '@mintmark/storage-interface'
import type { KeyId } from '@mintmark/storage-interface/stores'

/**
 * Signature algorithms for tokens (RFC 7518 §3.1, RFC 8037 §3.1). `EdDSA` and `Ed25519` sign alike: `Ed25519` is the new name
 * (RFC 9864 §2.2), and older libraries know only `EdDSA`. ML-DSA is available only where the runtime supports it.
 */
export type SigningAlgorithm =
  'RS256' | 'PS256' | 'ES256' | 'EdDSA' | 'Ed25519' | 'ML-DSA-44' | 'ML-DSA-65' | 'ML-DSA-87'

/**
 * Computes the JWS signature of the bytes (RFC 7515 §5.1 step 5). For ECDSA that is `r || s` (RFC 7518 §3.4), not DER.
 */
export type Sign = (bytes: Uint8Array) => Promise<Uint8Array>

/** A key that can sign. Only `sign` is called, so the private half may live elsewhere, in a KMS or an HSM. */
export interface Signer {
  readonly keyId: KeyId
  readonly algorithm: SigningAlgorithm
  readonly sign: Sign
}

/** A public key as it is published in the key set: `kid`, `alg`, `use` and the key's own members (RFC 7517 §4). */
export interface PublicKey {
  readonly keyId: KeyId
  readonly algorithm: SigningAlgorithm
  readonly jwk: JsonObject
}

/**
 * The issuer's signing keys: one key signs for each algorithm, and every key whose signatures may still be in use is
 * published.
 */
export interface KeyRing {
  /** The algorithms that the key ring signs with. The first is preferred for access tokens. */
  readonly algorithms: readonly [SigningAlgorithm, ...SigningAlgorithm[]]
  /**
   * How long a key's signatures are accepted after it has stopped signing. No token may have a longer lifetime. If
   * absent, they are accepted without a time limit.
   */
  readonly retirement?: DurationSeconds
  /** Returns the key that currently signs with the algorithm. */
  signer(algorithm: SigningAlgorithm): Promise<Signer>
  /**
   * Returns every key whose signatures are accepted, oldest first. The list and its elements are the same objects until
   * a key changes.
   */
  publicKeys(): Promise<readonly PublicKey[]>
  /**
   * Returns the keys that verify ID tokens which clients send back as hints: `publicKeys`, and keys that are no longer
   * published but were not leaked. If absent, `publicKeys` verify hints.
   */
  hintKeys?(): Promise<readonly PublicKey[]>
  /**
   * Derives secrets of 32 bytes for a purpose, the same in every process of the issuer. An implementation can use HKDF
   * with a secret that only the host has. The first derived secret protects the values that the server issues, such as
   * the state of a pending sign-in. The others come from earlier secrets of the host; values that they protect are
   * still accepted.
   */
  deriveSecrets(purpose: string): Promise<readonly Uint8Array[]>
  /**
   * Proves that this process signs with the same keys as the other servers. The server's `ready` calls it after it has
   * called `signer` for each algorithm.
   * @throws Error that says what to change.
   */
  ready?(): Promise<void>
}

/** Whether the name is one of the signature algorithms for tokens. */
export const isSigningAlgorithm = (name: string): name is SigningAlgorithm => Object.hasOwn(inEveryRuntime, name)

/**
 * Whether this runtime's Web Crypto supports the algorithm. Post-quantum signatures are new: a runtime that has them
 * reports it through `SubtleCrypto.supports` (Modern Algorithms in the Web Cryptography API).
 */
export function isRuntimeAlgorithm(algorithm: string): boolean {
  if (!isSigningAlgorithm(algorithm)) return false
  if (inEveryRuntime[algorithm]) return true
  const subtle = crypto.subtle.constructor as { supports?(operation: string, algorithm: string): boolean }
  return subtle.supports?.('verify', algorithm) === true
}

/** The algorithms that every supported runtime has. */
const inEveryRuntime: Readonly<Record<SigningAlgorithm, boolean>> = {
  RS256: true,
  PS256: true,
  ES256: true,
  EdDSA: true,
  Ed25519: true,
  'ML-DSA-44': false,
  'ML-DSA-65': false,
  'ML-DSA-87': false,
}

/** The algorithms that a key ring signs with. */
export type SigningAlgorithms = Pick<KeyRing, 'algorithms'>
