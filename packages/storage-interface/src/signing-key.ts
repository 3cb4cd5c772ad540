import { keyId, type KeyId, type EpochSeconds } from './values.ts'
import type { RevokeOutcome, InsertOutcome } from './outcome.ts'
import { defineRecord, id, integer, json, key, optional, text, time, type RecordOf } from './records/define-record.ts'

/** Signing keys. */
export const signingKeys = defineRecord('signingKeys', {
  keyId: key(id(keyId)),
  /** JWS algorithm, such as `ES256` (RFC 7518 §3.1). */
  algorithm: text,
  /** Numbers the keys of this algorithm, from 1. */
  ordinal: integer,
  publicJwk: json,
  /**
   * With this the vault finds the private half: the private JWK, sealed with a key that the host holds, or the name of a key in
   * a KMS. It opens nothing by itself.
   */
  vaultEntry: text,
  createdAt: time,
  /** The key is published from its creation. It signs from this time until a later key of its algorithm does. */
  signsFrom: time,
  /** Set in an emergency: the key signs nothing more, and what it signed is refused. */
  droppedAt: optional(time),
  /**
   * Authenticates the members above with a secret of the issuer that is not in storage; replaced when the key is dropped.
   * A row without it is not used.
   */
  rowMac: optional(text),
})

/** A signing key: its public half, and what its vault needs to sign with it. Only dropping it changes `droppedAt` and `rowMac`. */
export interface SigningKeyRecord extends RecordOf<typeof signingKeys> {}

/** A key to drop, with the MAC of its row once it is dropped. */
interface KeyDrop extends Required<Pick<SigningKeyRecord, 'keyId' | 'rowMac'>> {
  readonly droppedAt: EpochSeconds
}

/** Signing keys of one issuer. */
export interface SigningKeyStore {
  /**
   * Law: of several servers that concurrently offer the next key of an algorithm, one gets `inserted` and the others
   * `taken`. A unique index over (issuer, algorithm, ordinal), and one over (issuer, key_id).
   */
  insert(key: SigningKeyRecord): Promise<InsertOutcome>

  /** All of them, oldest first. They are a handful. */
  list(): Promise<readonly SigningKeyRecord[]>

  /**
   * Law: the first time stays, and a dropped key is never undropped.
   * `UPDATE signing_keys SET dropped_at = ?, row_mac = ? WHERE issuer = ? AND key_id = ? AND dropped_at IS NULL`
   */
  drop(key: KeyDrop): Promise<RevokeOutcome>

  /** Removes a key that is no longer needed. `DELETE FROM signing_keys WHERE issuer = ? AND key_id = ?` */
  remove(keyId: KeyId): Promise<{ readonly outcome: 'removed' } | { readonly outcome: 'absent' }>
}
