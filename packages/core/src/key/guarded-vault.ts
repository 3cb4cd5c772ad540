import { StorageUnavailableError } from '@mintmark/storage-interface'

import type { KeyVault } from './key-vault.ts'

/** A host's vault, whose failures are outages: what needs it is answered 503, and works again when the vault does. */
export const guardedVault = (vault: KeyVault): KeyVault => ({
  generate: (algorithm) => orUnavailable(() => vault.generate(algorithm), 'make a key'),
  open: async (key) => {
    const sign = await orUnavailable(() => vault.open(key), 'open a key')
    return (bytes) => orUnavailable(() => sign(bytes), 'sign')
  },
})

async function orUnavailable<T>(call: () => Promise<T>, what: string): Promise<T> {
  try {
    return await call()
  } catch (cause) {
    throw new StorageUnavailableError(`The vault cannot ${what}`, { cause })
  }
}
