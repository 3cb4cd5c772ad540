import type { KeyId, SigningKeyRecord } from '@mintmark/storage-interface'

import type { Signer, SigningAlgorithm } from './key-ring.ts'
import type { KeyVault } from './key-vault.ts'

/** Opens a key once, and keeps it open for as long as it is the one that signs with its algorithm. */
export function vaultSigners(vault: KeyVault): (key: SigningKeyRecord, algorithm: SigningAlgorithm) => Promise<Signer> {
  const opened = new Map<SigningAlgorithm, { readonly keyId: KeyId; readonly signer: Promise<Signer> }>()

  return async (key, algorithm) => {
    const known = opened.get(algorithm)
    const entry = known?.keyId === key.keyId ? known : { keyId: key.keyId, signer: openSigner(key, algorithm, vault) }
    opened.set(algorithm, entry)
    try {
      return await entry.signer
    } catch (error) {
      // A vault that was out of reach for a moment must not keep the key from being opened later.
      if (opened.get(algorithm) === entry) opened.delete(algorithm)
      throw error
    }
  }
}

async function openSigner(key: SigningKeyRecord, algorithm: SigningAlgorithm, vault: KeyVault): Promise<Signer> {
  const { keyId, publicJwk, vaultEntry } = key
  return { keyId, algorithm, sign: await vault.open({ keyId, algorithm, publicJwk, vaultEntry }) }
}
