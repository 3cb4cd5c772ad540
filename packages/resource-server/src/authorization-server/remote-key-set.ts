import { unavailable } from '../access/access-refusal.ts'
import type { Clock, EpochMilliseconds } from '../runtime/clock.ts'
import { isWithin, spaced } from '../runtime/spaced.ts'
import { fetchBounded } from './fetch-bounded.ts'
import { readKeySet, type VerificationKey } from './read-key-set.ts'

/** The authorization server's public keys, by `kid`. */
export interface KeySet {
  /**
   * @returns `undefined` when the server publishes no key of this name.
   * @throws AccessRefusal temporarily_unavailable when there are no keys to look at.
   */
  find(keyId: string): Promise<VerificationKey | undefined>
}

interface RemoteKeySetDependencies {
  readonly fetch: typeof globalThis.fetch
  readonly clock: Clock
}

/**
 * Keys fetched when they are needed and kept for ten minutes. One request at a time; names that are not among them make for
 * one request in thirty seconds, however many tokens bring such names. While the server cannot be reached, the keys that
 * it had are good for another hour.
 */
export function remoteKeySet(url: string, { fetch, clock }: RemoteKeySetDependencies): KeySet {
  let kept: { readonly keys: ReadonlyMap<string, VerificationKey>; readonly fetchedAt: EpochMilliseconds } | undefined
  let failure: unknown
  const refresh = spaced(async () => {
    const fetchedAt = clock()
    try {
      const keys = await readKeySet(await fetchBounded({ url, headers, timeout: 2500, limit: 65_536 }, fetch))
      if (keys === undefined) throw new Error(`${url} answered no usable key set.`)
      kept = { keys, fetchedAt }
    } catch (error) {
      // The keys of before stay as they are; whoever finds none is told why.
      failure = error
    }
  }, clock)
  const keysOf = (age: number): ReadonlyMap<string, VerificationKey> | undefined =>
    kept !== undefined && isWithin(kept.fetchedAt, age, clock()) ? kept.keys : undefined

  return {
    async find(keyId) {
      if (keysOf(keepFor) === undefined) await refresh(failurePause)
      if (keysOf(keepFor + staleFor)?.has(keyId) === false) await refresh(unknownKeyPause)
      const keys = keysOf(keepFor + staleFor)
      // RFC 9110 §15.6.4: without keys nobody can say yes or no.
      if (keys === undefined) throw unavailable(failure)
      return keys.get(keyId)
    },
  }
}

const headers = { accept: 'application/jwk-set+json, application/json' }

/** In milliseconds. */
const keepFor = 600_000
const staleFor = 3_600_000
const unknownKeyPause = 30_000
const failurePause = 5000
