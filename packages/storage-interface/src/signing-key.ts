import type { KeyId } from './identifiers.ts'
import type { JsonObject } from './json.ts'
import type { RevokeOutcome, InsertOutcome } from './outcome.ts'
import type { EpochSeconds } from './time.ts'

/** A signing key: its public half, and what its vault needs to sign with it. Nothing but `droppedAt` ever changes. */
export interface SigningKeyRecord {
  readonly keyId: KeyId
  /** JWS algorithm, such as `ES256` (RFC 7518 §3.1). */
  readonly algorithm: string
  /** The how-manieth key of this algorithm it is, from 1. */
  readonly ordinal: number
  readonly publicJwk: JsonObject
  /**
   * By this the vault finds the private half again: the private JWK, sealed with a key that the host holds, or the name
   * of a key in a KMS. It opens nothing by itself.
   */
  readonly vaultEntry: string
  readonly createdAt: EpochSeconds
  /** It is published from its creation, and signs from here until a later key of its algorithm does. */
  readonly signsFrom: EpochSeconds
  /** Set in an emergency: the key signs no more, and what it signed is refused. */
  readonly droppedAt: EpochSeconds | undefined
}

/** Signing keys of one issuer. */
export interface SigningKeyStore {
  /**
   * Law: of several servers that at once each offer the next key of an algorithm, one is told `inserted` and the others
   * `taken`. A unique index over (issuer, algorithm, ordinal), and one over (issuer, key_id).
   */
  insert(key: SigningKeyRecord): Promise<InsertOutcome>

  /** All of them, oldest first. They are a handful. */
  list(): Promise<readonly SigningKeyRecord[]>

  /**
   * Law: the first time stays, and a dropped key is never undropped.
   * `UPDATE signing_keys SET dropped_at = ? WHERE issuer = ? AND key_id = ? AND dropped_at IS NULL`
   */
  drop(keyId: KeyId, now: EpochSeconds): Promise<RevokeOutcome>

  /** Forgets a key that nobody needs any more. `DELETE FROM signing_keys WHERE issuer = ? AND key_id = ?` */
  remove(keyId: KeyId): Promise<{ readonly outcome: 'removed' } | { readonly outcome: 'absent' }>
}
