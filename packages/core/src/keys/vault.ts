import { cacheLatest, type Random, parseJsonObject } from '@mintmark/internal'
import { type JsonObject, StorageUnavailableError } from '@mintmark/storage-interface'
import type { KeyId } from '@mintmark/storage-interface/stores'
import type { JWK } from 'jose'
import { compactVerify } from 'jose/jws/compact/verify'
import { exportJWK } from 'jose/key/export'
import { generateKeyPair } from 'jose/key/generate/keypair'
import { importJWK } from 'jose/key/import'

import { createSigner, signJwt } from './jws.ts'
import { keyIdOf } from './key-id.ts'
import type { Sign, Signer, SigningAlgorithm } from './ring.ts'
import { SealingKeyError } from '../sealing-key-error.ts'
import { importSealingKey, parseSealingSecrets, type SealingKey, type SealingSecrets } from './sealing.ts'

/** A key pair that a vault created. */
export interface VaultKey {
  /** The public half (RFC 7517 §4). Members that do not belong to it are not published. */
  readonly publicJwk: JsonObject
  /** Lets the vault find the private half again, in any process. It is stored, so it must not be a secret. */
  readonly vaultEntry: string
}

/**
 * Where private keys are kept: sealed in storage, or in a KMS or an HSM that never reveals them. Pass one to
 * `createStoredKeys` instead of a sealing key. While the vault fails, requests that need it are answered with 503. Set a
 * time limit on its calls: token requests wait for them.
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
 * Stores private keys in their vault entries, sealed: `2.<id of the sealing key>.<sealed private JWK>`.
 * @throws TypeError at once when a secret is not 32 bytes.
 */
export function createSealedVault(
  secrets: SealingSecrets,
  { issuer, random }: { readonly issuer: string; readonly random: Random },
): KeyVault {
  const parsed = parseSealingSecrets(secrets)
  const sealingKeys = cacheLatest(() => Promise.all(parsed.map(importSealingKey)))

  return {
    async generate(algorithm) {
      const pair = await generateKeyPair(algorithm, { extractable: true, modulusLength: 2048 })
      const publicJwk = jsonMembers(await exportJWK(pair.publicKey))
      const privateJwk = JSON.stringify(await exportJWK(pair.privateKey))
      const [sealingKey] = (await sealingKeys()) as [SealingKey]
      const sealed = await sealingKey.seal(privateJwk, sealContext(issuer, await keyIdOf(publicJwk)), random)
      return { publicJwk, vaultEntry: `2.${sealingKey.id}.${sealed}` }
    },

    async open({ keyId, algorithm, vaultEntry }) {
      const [version, sealingKeyId, sealed = ''] = vaultEntry.split('.', 3)
      const sealingKey = (await sealingKeys()).find(({ id }) => id === sealingKeyId)
      if (version !== '2' || sealingKey === undefined) throw new SealingKeyError([{ keyId }])
      const jwk = parseJsonObject(await sealingKey.open(sealed, sealContext(issuer, keyId)))
      // Extractable, so that an elliptic-curve key can sign without the thread pool.
      const key = await importJWK({ ...jwk }, algorithm, { extractable: true })
      if (key instanceof Uint8Array) throw new TypeError('A stored signing key must not be symmetric.')
      return createSigner(keyId, algorithm, key).sign
    },
  }
}

const jsonMembers = (jwk: JWK): Record<string, string> =>
  Object.fromEntries(Object.entries(jwk).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))

/** Binds a sealed key to its issuer and key id, so that it does not open after it was moved to another row. */
const sealContext = (issuer: string, kid: string): string => `signing-key-2 ${issuer} ${kid}`

/**
 * Wraps a host's vault so that its failures are treated as outages: requests that need it are answered with 503 until
 * it works again.
 */
export const guardVault = (vault: KeyVault): KeyVault => ({
  generate: (algorithm) => orUnavailable(() => vault.generate(algorithm), 'create a key'),
  open: async (key) => {
    const sign = await orUnavailable(() => vault.open(key), 'open a key')
    return (bytes) => orUnavailable(() => sign(bytes), 'sign')
  },
})

async function orUnavailable<T>(call: () => Promise<T>, action: string): Promise<T> {
  try {
    return await call()
  } catch (cause) {
    throw new StorageUnavailableError(`The vault cannot ${action}`, { cause })
  }
}

/**
 * Checks, before a key is announced, that its public key verifies its signatures. They cannot be verified if, for
 * example, the vault returns DER instead of `r || s` (RFC 7518 §3.4).
 * @throws Error when the signature cannot be verified.
 */
export async function proveSigner(signer: Signer, publicJwk: JsonObject): Promise<void> {
  const jws = await signJwt('key-proof+jwt', {}, signer)
  try {
    await compactVerify(jws, await importJWK({ ...publicJwk }, signer.algorithm), { algorithms: [signer.algorithm] })
  } catch (cause) {
    throw new Error(
      `The vault's new public key does not verify a test signature with ${signer.algorithm}. ECDSA signatures must be r || s, not DER.`,
      { cause },
    )
  }
}
