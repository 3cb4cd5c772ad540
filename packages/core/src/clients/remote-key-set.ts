import { forgetOldest, parseJsonObject } from '@mintmark/internal'
import type { ClientRecord, EpochSeconds } from '@mintmark/storage-interface'
import type { JSONWebKeySet } from 'jose'

import type { OutboundClient } from '../outbound/client.ts'

/** The key sets that clients publish: fetched on demand and cached. */
export interface RemoteKeySets {
  /**
   * Returns the key set at a URL, from the cache or by fetching it.
   * @param mode `cached` fetches when the cached set is older than ten minutes. `refresh` fetches when it is older than
   *   a minute, because a key may have been added.
   * @returns `undefined` when the URL may not be fetched, or has not returned a key set for an hour.
   */
  read(uri: string, mode: 'cached' | 'refresh', now: EpochSeconds): Promise<JSONWebKeySet | undefined>
  /**
   * Returns the key sets for a client. Anybody can publish clients with metadata documents, so these have a cache and
   * connections of their own, and cannot use up those of registered clients.
   */
  of(client: Pick<ClientRecord, 'origin'>): RemoteKeySets
}

/**
 * Fetches key sets, one request at a time for each URL. Beyond a thousand URLs, the oldest key sets are removed.
 * @param ofDocuments the key sets of clients with metadata documents.
 */
export function createRemoteKeySets(outbound: OutboundClient, ofDocuments?: RemoteKeySets): RemoteKeySets {
  const cached = new Map<string, { readonly requestedAt: EpochSeconds; readonly answer: Promise<Answer> }>()

  const sets: RemoteKeySets = {
    of: ({ origin }) => (origin === 'document' ? (ofDocuments ?? sets) : sets),
    async read(uri, mode, now) {
      const known = cached.get(uri)
      const maxAge = mode === 'refresh' ? cooldown : keepFor
      if (known !== undefined && now < known.requestedAt + maxAge) return keySetAt(now, await known.answer)

      const answer = fetchOrReuse(uri, known?.answer, now)
      cached.delete(uri)
      cached.set(uri, { requestedAt: now, answer })
      forgetOldest(cached, maxCached)
      return keySetAt(now, await answer)
    },
  }
  return sets

  /** Fetches the key set. While the client's server is down, returns the last key set instead, for a limited time. */
  async function fetchOrReuse(uri: string, previous: Promise<Answer> | undefined, now: EpochSeconds): Promise<Answer> {
    const fetched = await fetchKeySet(uri, outbound)
    if (fetched !== 'unavailable') return { keySet: fetched, answeredAt: now }
    return (await previous) ?? { keySet: undefined, answeredAt: now }
  }
}

/** Each read compares the age: the answer may be older than the request that it was kept for. */
const keySetAt = (now: EpochSeconds, { keySet, answeredAt }: Answer): JSONWebKeySet | undefined =>
  now < answeredAt + staleFor ? keySet : undefined

interface Answer {
  readonly keySet: JSONWebKeySet | undefined
  /** When the client's server last answered. */
  readonly answeredAt: EpochSeconds
}

/** @returns `undefined` if there is no key set at the URL; `unavailable` if no usable response was received. */
async function fetchKeySet(uri: string, outbound: OutboundClient): Promise<JSONWebKeySet | undefined | 'unavailable'> {
  const headers = { accept: 'application/jwk-set+json, application/json' }
  const result = await outbound.request({ url: uri, headers, timeout: 2500, maxBytes })
  if (result.outcome === 'failed') return result.failure === 'not_allowed' ? undefined : 'unavailable'
  if (result.status === 404 || result.status === 410) return undefined
  return (result.status === 200 ? readKeySet(parseJsonObject(result.body)) : undefined) ?? 'unavailable'
}

/**
 * Reads a key set: an object with a list of keys (RFC 7517 §5). Whether a key is suitable is checked when it is used.
 */
export function readKeySet(value: unknown): JSONWebKeySet | undefined {
  if (typeof value !== 'object' || value === null || !('keys' in value) || !Array.isArray(value.keys)) return undefined
  return value.keys.length > maxKeys ? undefined : { keys: value.keys.filter(isKey) }
}

/** Whether the set contains only asymmetric public keys, and at least one (RFC 7517 §4). */
export const isPublicKeySet = (keySet: JSONWebKeySet | undefined): boolean =>
  keySet !== undefined &&
  keySet.keys.length > 0 &&
  keySet.keys.every((key) => key.kty !== 'oct' && !privateMembers.some((name) => name in key))

/** The members of private and symmetric keys (RFC 7518 §6.2.2, §6.3.2, §6.4.1; AKP: ML-DSA for JOSE). */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv']

const isKey = (key: unknown): key is JSONWebKeySet['keys'][number] =>
  typeof key === 'object' && key !== null && 'kty' in key && typeof key.kty === 'string'

/**
 * In seconds: how long a key set is cached, the minimum time between fetches for unknown keys, and how long a key set
 * is used while the client's server does not respond.
 */
const keepFor = 600
const cooldown = 60
const staleFor = 3600

/** A key set is at most `maxBytes` long, so the cache is at most 64 MiB. */
const maxCached = 1000
const maxBytes = 65_536
const maxKeys = 100
