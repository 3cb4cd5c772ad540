import type { JWK } from 'jose'
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint'
import { exportJWK } from 'jose/key/export'
import { generateKeyPair } from 'jose/key/generate/keypair'
import { importJWK } from 'jose/key/import'

import { parseJsonObject } from '../json/json-object.ts'
import type { Random } from '../runtime/random.ts'
import type { KeyVault } from './key-vault.ts'
import { importSealingKey, parseSealingKey, type SealingKey } from './sealing-key.ts'
import { webCryptoSigner } from './web-crypto-signer.ts'

/** One sealing key, or the one that seals and those that still open what they sealed. */
export type SealingSecrets = string | readonly [current: string, ...previous: readonly string[]]

/**
 * Keeps private keys in their vault entries, sealed: `<id of the sealing key>.<sealed private JWK>`.
 * @throws TypeError at once when a secret is not 32 bytes.
 */
export function sealedVault(
  secrets: SealingSecrets,
  { issuer, random }: { readonly issuer: string; readonly random: Random },
): KeyVault {
  const parsed = (typeof secrets === 'object' ? secrets : [secrets]).map(parseSealingKey)
  let importing: Promise<readonly SealingKey[]> | undefined
  const sealingKeys = (): Promise<readonly SealingKey[]> => (importing ??= Promise.all(parsed.map(importSealingKey)))

  return {
    async generate(algorithm) {
      const pair = await generateKeyPair(algorithm, { extractable: true, modulusLength: 2048 })
      const publicJwk = jsonMembers(await exportJWK(pair.publicKey))
      const privateJwk = JSON.stringify(await exportJWK(pair.privateKey))
      const [sealingKey] = (await sealingKeys()) as [SealingKey]
      const sealed = await sealingKey.seal(
        privateJwk,
        sealContext(issuer, await calculateJwkThumbprint(publicJwk)),
        random,
      )
      return { publicJwk, vaultEntry: `${sealingKey.id}.${sealed}` }
    },

    async open({ keyId, algorithm, vaultEntry }) {
      const [sealingKeyId, sealed = ''] = vaultEntry.split('.', 2)
      const sealingKey = (await sealingKeys()).find(({ id }) => id === sealingKeyId)
      if (sealingKey === undefined) throw new Error(sealedWithAnother)
      const jwk = parseJsonObject(await sealingKey.open(sealed, sealContext(issuer, keyId)))
      // Extractable: an elliptic-curve key then signs without the way to the thread pool.
      const key = await importJWK({ ...jwk }, algorithm, { extractable: true })
      if (key instanceof Uint8Array) throw new TypeError('A stored signing key is symmetric.')
      return webCryptoSigner(keyId, algorithm, key).sign
    },
  }
}

const jsonMembers = (jwk: JWK): Record<string, string> =>
  Object.fromEntries(Object.entries(jwk).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))

/** A sealed key that was moved to another issuer's row, or another key's, does not open. */
const sealContext = (issuer: string, kid: string): string => `signing-key ${issuer} ${kid}`

const sealedWithAnother =
  'The stored signing keys were sealed with another sealing key. Start with the key that sealed them, or give both: [new, old].'
