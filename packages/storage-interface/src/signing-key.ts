import { keyId, type KeyId, type EpochSeconds } from './values.ts'
import type { RevokeOutcome, InsertOutcome } from './outcome.ts'
import { defineRecord, id, integer, json, key, optional, text, time, type RecordOf } from './records/define-record.ts'

/** Signing keys. */
export const signingKeys = defineRecord('signingKeys', {
  keyId: key(id(keyId)),
  /** JWS algorithm, such as `ES256` (RFC 7518 §3.1). */
  algorithm: text,
  /** The number of the key among the keys of this algorithm, from 1. */
  ordinal: integer,
  publicJwk: json,
  /**
   * What the vault needs to use the private half: the private JWK, sealed with a key that the host holds, or the name of a key in
   * a KMS. It is useless without that key or the KMS.
   */
  vaultEntry: text,
  createdAt: time,
  /** The key signs from this time until a later key of its algorithm does. It is already published when it is created. */
  signsFrom: time,
  /** Set in an emergency: the key signs nothing more, and everything that it signed is refused. */
  droppedAt: optional(time),
  /**
   * Authenticates the members above with a secret of the issuer that is not in storage; replaced when the key is dropped.
   * A row without it is not used.
   */
  rowMac: optional(text),
})

/** A signing key: its public half, and what its vault needs to sign with it. Only `drop` changes it: `droppedAt` and `rowMac`. */
export interface SigningKeyRecord extends RecordOf<typeof signingKeys> {}

/** A key to drop, and the MAC of its row after that. */
interface KeyDrop extends Required<Pick<SigningKeyRecord, 'keyId' | 'rowMac'>> {
  readonly droppedAt: EpochSeconds
}

/** Signing keys of one issuer. */
export interface SigningKeyStore {
  /**
   * Law: of several servers that concurrently offer the next key of an algorithm, one gets `inserted` and the others
   * `taken`. SQL stores have a unique index over (issuer, algorithm, ordinal), and one over (issuer, key_id).
   */
  insert(key: SigningKeyRecord): Promise<InsertOutcome>

  /** Returns all keys, oldest first. There are only a few. */
  list(): Promise<readonly SigningKeyRecord[]>

  /**
   * Law: dropping a key again changes nothing, and a dropped key never becomes valid again.
   * `UPDATE signing_keys SET dropped_at = ?, row_mac = ? WHERE issuer = ? AND key_id = ? AND dropped_at IS NULL`
   */
  drop(key: KeyDrop): Promise<RevokeOutcome>

  /**
   * Returns some other issuers that have keys in the same database, at most two. A server that finds no records of its own
   * reports them when it starts: its issuer may be mistyped. A store that only one issuer can use leaves it out.
   */
  readonly otherIssuers?: () => Promise<readonly string[]>

  /** Removes a key that is no longer needed. `DELETE FROM signing_keys WHERE issuer = ? AND key_id = ?` */
  remove(keyId: KeyId): Promise<{ readonly outcome: 'removed' } | { readonly outcome: 'absent' }>
}
