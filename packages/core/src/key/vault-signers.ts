import { StorageUnavailableError, type KeyId, type SigningKeyRecord } from '@mintmark/storage-interface'

import type { Sign, Signer, SigningAlgorithm } from './key-ring.ts'
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
  const sign = await vault.open({ keyId, algorithm, publicJwk, vaultEntry })
  return { keyId, algorithm, sign: (bytes) => signOrBeUnavailable(sign, bytes) }
}

async function signOrBeUnavailable(sign: Sign, bytes: Uint8Array): Promise<Uint8Array> {
  try {
    return await sign(bytes)
  } catch (cause) {
    throw new StorageUnavailableError('The vault cannot sign', { cause })
  }
}
