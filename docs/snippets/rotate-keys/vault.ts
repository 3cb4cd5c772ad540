import { createStoredKeys, type KeyVault } from '@mintmark/core'
import { kms, sealingKey, storage } from './yours.ts'

const vault: KeyVault = {
  async generate() {
    const { name, publicJwk } = await kms.createKey()
    return { publicJwk, vaultEntry: name }
  },
  open:
    async ({ vaultEntry }) =>
    (bytes) =>
      kms.sign(vaultEntry, bytes),
}

export const keys = createStoredKeys({
  storage,
  vault,
  issuerSecret: sealingKey,
  algorithms: ['ES256'],
})
