import type { CryptoKey } from 'jose'
import { importJWK } from 'jose/key/import'

import { fetchCached, isJsonObject, parseJsonObject, type JsonObject } from './http-client.ts'
import { refuse } from './refusals.ts'
import { isWithin, throttle, type Clock, type EpochMilliseconds } from './runtime.ts'

/** The authorization server's public keys, by `kid`. */
export interface KeySet {
  /**
   * @returns `undefined` when the server publishes no key with this identifier.
   * @throws AccessRefusedError `authorization_server_unavailable` when the keys could not be fetched.
   */
  find(keyId: string): Promise<VerificationKey | undefined>
}

/** A public key that verifies signatures, with its one algorithm (RFC 8725 §3.1). */
export interface VerificationKey {
  readonly algorithm: SignatureAlgorithm
  readonly key: CryptoKey
}

interface RemoteKeySetDependencies {
  readonly fetch: typeof globalThis.fetch
  readonly clock: Clock
}

/**
 * Creates a key set that fetches the keys when they are first needed, and uses them for five minutes, the `max-age` of the
 * key set. A dropped key may be accepted for that long. The time that a response spent in shared caches (its `Age`) is part
 * of the five minutes. After four minutes, the keys are fetched again in the background. Only one request runs at a time.
 * Unknown key identifiers cause at most one request in thirty seconds, however many tokens contain them.
 * @param url returns the address of the key set; called before each request.
 */
export function createRemoteKeySet(url: () => Promise<string>, { fetch, clock }: RemoteKeySetDependencies): KeySet {
  let cached:
    { readonly keys: ReadonlyMap<string, VerificationKey>; readonly publishedAt: EpochMilliseconds } | undefined
  let failure: unknown
  const refresh = throttle(async () => {
    try {
      const address = await url()
      const requestedAt = clock()
      const { text, age } = await fetchCached({ url: address, headers, timeout: 2500, limit: 65_536 }, fetch)
      const keys = await readKeySet(text)
      if (keys === undefined) throw new Error(`The response of ${address} is not a usable key set.`)
      // RFC 9111 §4.2.3: a copy from a shared cache has spent part of its five minutes there.
      const publishedAt = requestedAt - age * 1000
      // A shared cache may return an older copy than the one that is already known.
      if (keysYoungerThan(keepFor) === undefined || publishedAt > (cached?.publishedAt ?? 0))
        cached = { keys, publishedAt }
      failure =
        age * 1000 < keepFor
          ? undefined
          : new Error(`A cache returned a copy of ${address} that is ${age} seconds old.`)
    } catch (error) {
      // The previous keys stay. If there are none, the refusal of the request has this error as its cause.
      failure = error
    }
  }, clock)
  const keysYoungerThan = (age: number): ReadonlyMap<string, VerificationKey> | undefined =>
    cached !== undefined && isWithin(cached.publishedAt, age, clock()) ? cached.keys : undefined

  return {
    async find(keyId) {
      // A copy that was nearly five minutes old on arrival, or expired on the way, is replaced without a pause.
      for (let attempt = 0; attempt < 2 && keysYoungerThan(keepFor) === undefined; attempt += 1)
        await refresh(failure === undefined ? 0 : failurePause)
      if (keysYoungerThan(refreshAfter) === undefined) void refresh(failurePause)
      if (keysYoungerThan(keepFor)?.has(keyId) === false) await refresh(unknownKeyPause)
      const keys = keysYoungerThan(keepFor)
      // RFC 9110 §15.6.4: without keys the token can be neither accepted nor rejected.
      if (keys === undefined) throw refuse('authorization_server_unavailable', { cause: failure })
      return keys.get(keyId)
    },
  }
}

const headers = { accept: 'application/jwk-set+json, application/json' }

// In milliseconds.
const keepFor = 300_000
const refreshAfter = 240_000
const unknownKeyPause = 30_000
const failurePause = 5000

/**
 * Reads a JWK set (RFC 7517 §5), and returns the keys that can verify a signature, by `kid`. Leaves out other keys and
 * malformed keys.
 * @returns `undefined` when the text is not a JWK set, or has no usable key.
 */
export async function readKeySet(text: string): Promise<ReadonlyMap<string, VerificationKey> | undefined> {
  const jwks = parseJsonObject(text)?.['keys']
  if (!Array.isArray(jwks) || jwks.length > maxKeys) return undefined

  const entries = await Promise.all(jwks.filter(isJsonObject).map(readKey))
  const keys = new Map(entries.filter((entry) => entry !== undefined))
  return keys.size === 0 ? undefined : keys
}

async function readKey(jwk: JsonObject): Promise<readonly [string, VerificationKey] | undefined> {
  const { kid, use = 'sig' } = jwk
  // RFC 7517 §4.4: the authorization server names the algorithm of each of its keys.
  const algorithm = signatureAlgorithms.find((known) => known === jwk['alg'])
  // RFC 7517 §4.2: an encryption key does not verify signatures.
  if (typeof kid !== 'string' || use !== 'sig' || algorithm === undefined) return undefined
  try {
    const key = await importJWK({ ...publicMembers(jwk) }, algorithm)
    return key instanceof Uint8Array ? undefined : [kid, { algorithm, key }]
  } catch {
    // jose throws for members that are not a key of this algorithm, and for an algorithm that the runtime lacks.
    return undefined
  }
}

/**
 * Returns only the members of a public key (RFC 7518 §6.2.1, §6.3.1, RFC 8037 §2; `pub` is for ML-DSA), in case private
 * members were published by mistake.
 */
const publicMembers = (jwk: JsonObject): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ['kty', 'alg', 'crv', 'x', 'y', 'n', 'e', 'pub'].flatMap((name) => {
      const value = jwk[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )

/** The algorithms that the authorization server signs with. */
const signatureAlgorithms = [
  'ES256',
  'EdDSA',
  'Ed25519',
  'ML-DSA-44',
  'ML-DSA-65',
  'ML-DSA-87',
  'PS256',
  'RS256',
] as const

type SignatureAlgorithm = (typeof signatureAlgorithms)[number]

const maxKeys = 100
