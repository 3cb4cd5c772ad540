import type { KeyId } from './identifiers.ts'
import type { JsonObject } from './json.ts'
import type { InsertOutcome } from './outcome.ts'
import type { EpochSeconds } from './time.ts'

/** A signing key: its public half in the clear, its private half sealed with a key that the host holds. */
export interface SigningKeyRecord {
  readonly keyId: KeyId
  /** JWS algorithm, such as `ES256` (RFC 7518 §3.1). */
  readonly algorithm: string
  /** The how-manieth key of this algorithm it is, from 1. */
  readonly ordinal: number
  readonly publicJwk: JsonObject
  /** The private JWK, sealed with AES-256-GCM; base64url of nonce, ciphertext and tag. */
  readonly sealedPrivateJwk: string
  /** Which of the host's sealing keys it is sealed with. */
  readonly sealingKeyId: string
  readonly createdAt: EpochSeconds
}

/** Signing keys of one issuer. */
export interface SigningKeyStore {
  /**
   * Law: of several servers that start at once and each offer an algorithm's first key, one is told `inserted` and the
   * others `taken`. A unique index over (issuer, algorithm, ordinal), and one over (issuer, key_id).
   */
  insert(key: SigningKeyRecord): Promise<InsertOutcome>

  /** All of them, oldest first. */
  list(): Promise<readonly SigningKeyRecord[]>
}
