import { keyId, type SigningKeyRecord, type Storage } from '@mintmark/storage-interface'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'

import { parseJsonObject } from '../json/json-object.ts'
import { systemClock, type Clock } from '../runtime/clock.ts'
import { systemRandom, type Random } from '../runtime/random.ts'
import type { KeyRing, PublicKey, Signer, SigningAlgorithm } from './key-ring.ts'
import { importSealingKey, parseSealingKey, type SealingKey, type SealingKeyBytes } from './sealing-key.ts'
import { webCryptoSigner } from './web-crypto-signer.ts'

export interface StoredKeysOptions {
  readonly storage: Storage
  /**
   * 32 random bytes in base64url: the private keys are sealed with it (AES-256-GCM) before they are stored. To change
   * it, give a list: the first seals, the others still open what they sealed.
   */
  readonly sealingKey: string | readonly [current: string, ...previous: readonly string[]]
  /** Default `['ES256', 'RS256']`: RS256 is what every OpenID Connect client understands (OIDC Core §15.1). */
  readonly algorithms?: KeyRing['algorithms']
  readonly clock?: Clock
  readonly random?: Random
}

/**
 * A key ring kept in storage. The first server to need a key makes it; servers that start at the same time agree on one.
 * The ring is loaded at first use.
 * @throws TypeError at once when a sealing key is not 32 bytes; Error at first use when stored keys were sealed with another key.
 */
export function storedKeys(options: StoredKeysOptions): KeyRing {
  const algorithms: KeyRing['algorithms'] = options.algorithms ?? ['ES256', 'RS256']
  const sealingKeys = parseSealingKeys(options.sealingKey)
  let loading: Promise<LoadedRing> | undefined

  const load = async (): Promise<LoadedRing> => {
    loading ??= loadRing({ algorithms, sealingKeys }, options)
    try {
      return await loading
    } catch (error) {
      // A store that was down at first use must not keep the ring from loading later.
      loading = undefined
      throw error
    }
  }

  return {
    algorithms,
    async signer(algorithm) {
      const signer = (await load()).signers.get(algorithm)
      if (signer === undefined) throw new TypeError(`The key ring does not sign with ${algorithm}.`)
      return signer
    },
    publicKeys: async () => (await load()).publicKeys,
  }
}

interface LoadedRing {
  readonly signers: ReadonlyMap<SigningAlgorithm, Signer>
  readonly publicKeys: readonly PublicKey[]
}

type SealingKeys = readonly [current: SealingKeyBytes, ...previous: readonly SealingKeyBytes[]]

async function loadRing(
  { algorithms, sealingKeys }: { readonly algorithms: readonly SigningAlgorithm[]; readonly sealingKeys: SealingKeys },
  options: StoredKeysOptions,
): Promise<LoadedRing> {
  const { signingKeys } = options.storage
  const [current, ...others] = sealingKeys
  const sealingKey = await importSealingKey(current)
  const previous = await Promise.all(others.map(importSealingKey))
  const existing = await signingKeys.list()
  for (const algorithm of algorithms) {
    if (existing.some((key) => key.algorithm === algorithm)) continue
    // Whoever inserts first wins; a server that lost the race finds the winner's key in the list below.
    await signingKeys.insert(await generateKey(algorithm, sealingKey, options))
  }

  const records = (await signingKeys.list()).filter((key) => isOneOf(algorithms, key.algorithm))
  const signers = new Map<SigningAlgorithm, Signer>()
  for (const algorithm of algorithms) {
    const newest = records.findLast((key) => key.algorithm === algorithm)
    if (newest !== undefined) signers.set(algorithm, await unseal(newest, [sealingKey, ...previous], options.storage.issuer))
  }
  return { signers, publicKeys: records.map(publicKeyOf) }
}

function parseSealingKeys(given: StoredKeysOptions['sealingKey']): SealingKeys {
  const [current, ...previous] = typeof given === 'object' ? given : [given]
  return [parseSealingKey(current), ...previous.map(parseSealingKey)]
}

async function generateKey(
  algorithm: SigningAlgorithm,
  sealingKey: SealingKey,
  options: StoredKeysOptions,
): Promise<SigningKeyRecord> {
  const pair = await generateKeyPair(algorithm, { extractable: true, modulusLength: 2048 })
  const privateJwk = await exportJWK(pair.privateKey)
  const publicJwk = await exportJWK(pair.publicKey)
  const kid = await calculateJwkThumbprint(publicJwk)
  const plaintext = JSON.stringify(privateJwk)
  const now = (options.clock ?? systemClock)()

  return {
    keyId: keyId(kid),
    algorithm,
    ordinal: 1,
    publicJwk: { ...jsonMembers(publicJwk), kid, alg: algorithm, use: 'sig' },
    vaultEntry: `${sealingKey.id}.${await sealingKey.seal(plaintext, sealContext(options.storage.issuer, kid), options.random ?? systemRandom)}`,
    createdAt: now,
    signsFrom: now,
    droppedAt: undefined,
  }
}

async function unseal(
  record: SigningKeyRecord,
  sealingKeys: readonly SealingKey[],
  issuer: string,
): Promise<Signer> {
  const [sealingKeyId = '', sealed = ''] = record.vaultEntry.split('.')
  const sealingKey = sealingKeys.find(({ id }) => id === sealingKeyId)
  if (sealingKey === undefined) {
    throw new Error('The stored signing keys were sealed with another sealing key. Start with the key that sealed them, or give both: [new, old].')
  }
  const jwk = parseJsonObject(await sealingKey.open(sealed, sealContext(issuer, record.keyId)))
  const key = await importJWK({ ...jwk }, record.algorithm)
  if (key instanceof Uint8Array) throw new TypeError('A stored signing key is symmetric.')
  return webCryptoSigner(record.keyId, asSigningAlgorithm(record.algorithm), key)
}

function publicKeyOf(record: SigningKeyRecord): PublicKey {
  return { keyId: record.keyId, algorithm: asSigningAlgorithm(record.algorithm), jwk: record.publicJwk }
}

const asSigningAlgorithm = (name: string): SigningAlgorithm => (name === 'ES256' ? 'ES256' : 'RS256')

const jsonMembers = (jwk: JWK): Record<string, string> =>
  Object.fromEntries(Object.entries(jwk).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))

const isOneOf = (algorithms: readonly string[], algorithm: string): boolean => algorithms.includes(algorithm)

const sealContext = (issuer: string, kid: string): string => `signing-key ${issuer} ${kid}`
