import type { JsonObject, KeyId } from '@mintmark/storage-interface'

import type { Sign, SigningAlgorithm } from './key-ring.ts'

/** A key pair that a vault has made. */
export interface VaultKey {
  /** The public half (RFC 7517 §4); members that are not part of it are not published. */
  readonly publicJwk: JsonObject
  /** By this the vault finds the private half again, in any process. It is stored, and must open nothing by itself. */
  readonly vaultEntry: string
}

/**
 * Where private keys live: sealed in storage, or in a KMS or an HSM that never shows them. Give one to `storedKeys` in place
 * of a sealing key. While it fails, what needs it is answered 503. Give its calls a time limit of your own: whoever waits for a
 * token waits for them.
 * @example
 * const vault: KeyVault = {
 *   generate: async () => ({ publicJwk: await kms.publicKey('alias/tokens-2'), vaultEntry: 'alias/tokens-2' }),
 *   open: async ({ vaultEntry }) => (bytes) => kms.sign(vaultEntry, bytes),
 * }
 */
export interface KeyVault {
  /**
   * Makes a key pair, or hands out one that was made for this. Before its public half is published, it has signed and the
   * signature was verified. Of servers that make the next key at once all but one forget theirs.
   */
  generate(algorithm: SigningAlgorithm): Promise<VaultKey>
  /** Readies a key for signing. */
  open(key: VaultKey & { readonly keyId: KeyId; readonly algorithm: SigningAlgorithm }): Promise<Sign>
}
