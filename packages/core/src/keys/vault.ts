import type { Random } from '@mintmark/internal'
import { type JsonObject, StorageUnavailableError } from '@mintmark/storage-interface'
import type { KeyId } from '@mintmark/storage-interface/stores'
import type { JWK } from 'jose'
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint'
import { exportJWK } from 'jose/key/export'
import { generateKeyPair } from 'jose/key/generate/keypair'
import { importJWK } from 'jose/key/import'

import { parseJsonObject } from '../json.ts'
import { createSigner } from './jws.ts'
import type { Sign, SigningAlgorithm } from './ring.ts'
import { importSealingKey, parseSealingSecrets, type SealingKey, type SealingSecrets } from './sealing.ts'

/** A key pair that a vault created. */
export interface VaultKey {
  /** The public half (RFC 7517 §4). Members that do not belong to it are not published. */
  readonly publicJwk: JsonObject
  /** Lets the vault find the private half again, in any process. It is stored, so it must not be a secret by itself. */
  readonly vaultEntry: string
}

/**
 * Where private keys are kept: sealed in storage, or in a KMS or an HSM that never reveals them. Pass one to
 * `createStoredKeys` instead of a sealing key. While it fails, requests that need it are answered 503. Set a time limit
 * on its calls: token requests wait for them.
 * @example
 * const vault: KeyVault = {
 *   generate: async () => ({ publicJwk: await kms.publicKey('alias/tokens-2'), vaultEntry: 'alias/tokens-2' }),
 *   open: async ({ vaultEntry }) => (bytes) => kms.sign(vaultEntry, bytes),
 * }
 */
export interface KeyVault {
  /**
   * Creates a key pair, or returns one that was created for this purpose. Before its public half is published, a test
   * signature is verified. When several servers create the next key at once, all but one discard theirs.
   */
  generate(algorithm: SigningAlgorithm): Promise<VaultKey>
  /** Prepares a key for signing. */
  open(key: VaultKey & { readonly keyId: KeyId; readonly algorithm: SigningAlgorithm }): Promise<Sign>
}

/**
 * Stores private keys in their vault entries, sealed: `<id of the sealing key>.<sealed private JWK>`.
 * @throws TypeError at once when a secret is not 32 bytes.
 */
export function createSealedVault(
  secrets: SealingSecrets,
  { issuer, random }: { readonly issuer: string; readonly random: Random },
): KeyVault {
  const parsed = parseSealingSecrets(secrets)
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
      // Extractable, so that an elliptic-curve key can sign without the thread pool.
      const key = await importJWK({ ...jwk }, algorithm, { extractable: true })
      if (key instanceof Uint8Array) throw new TypeError('A stored signing key is symmetric.')
      return createSigner(keyId, algorithm, key).sign
    },
  }
}

const jsonMembers = (jwk: JWK): Record<string, string> =>
  Object.fromEntries(Object.entries(jwk).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))

/** Binds a sealed key to its issuer and key id: moved to another row, it does not open. */
const sealContext = (issuer: string, kid: string): string => `signing-key ${issuer} ${kid}`

const sealedWithAnother =
  'The stored signing keys were sealed with another sealing key. Start with the key that sealed them, or give both: [new, old].'

/**
 * Wraps a host's vault so that its failures count as outages: requests that need it are answered 503 until it works
 * again.
 */
export const guardVault = (vault: KeyVault): KeyVault => ({
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
