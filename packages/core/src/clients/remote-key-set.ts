import { parseJsonObject } from '@mintmark/internal'
import type { EpochSeconds } from '@mintmark/storage-interface'
import type { JSONWebKeySet } from 'jose'

import type { OutboundClient } from '../outbound/client.ts'

/** The key sets that clients publish: fetched on demand and cached. */
export interface RemoteKeySets {
  /**
   * Returns the key set at a URL from the cache or by fetching it.
   * @param mode `refresh` fetches again when the cached set is older than a minute, because a key may have been added.
   * @returns `undefined` when the URL may not be fetched, or its response is not a key set.
   */
  read(uri: string, mode: 'kept' | 'refresh', now: EpochSeconds): Promise<JSONWebKeySet | undefined>
}

/** Fetches key sets, one request at a time for each URL. */
export function createRemoteKeySets(outbound: OutboundClient): RemoteKeySets {
  const kept = new Map<string, { readonly requestedAt: EpochSeconds; readonly answer: Promise<Answer> }>()

  return {
    async read(uri, mode, now) {
      const known = kept.get(uri)
      const maxAge = mode === 'refresh' ? cooldown : keepFor
      if (known !== undefined && now < known.requestedAt + maxAge) return (await known.answer).keySet

      const answer = askAgain(uri, known?.answer, now)
      kept.set(uri, { requestedAt: now, answer })
      return (await answer).keySet
    },
  }

  /** While a client's server is down, its last key set stays in use, for a limited time. */
  async function askAgain(uri: string, previous: Promise<Answer> | undefined, now: EpochSeconds): Promise<Answer> {
    const fetched = await fetchKeySet(uri, outbound)
    if (fetched !== 'unavailable') return { keySet: fetched, answeredAt: now }
    const last = await previous
    return last !== undefined && now < last.answeredAt + staleFor ? last : { keySet: undefined, answeredAt: now }
  }
}

interface Answer {
  readonly keySet: JSONWebKeySet | undefined
  /** When the client's server last answered. */
  readonly answeredAt: EpochSeconds
}

/** @returns `undefined` if the server says that there is no key set; `unavailable` if it says nothing usable. */
async function fetchKeySet(uri: string, outbound: OutboundClient): Promise<JSONWebKeySet | undefined | 'unavailable'> {
  const headers = { accept: 'application/jwk-set+json, application/json' }
  const result = await outbound.request({ url: uri, headers, timeout: 2500, maxBytes })
  if (result.outcome === 'failed') return result.failure === 'not_allowed' ? undefined : 'unavailable'
  if (result.status === 404 || result.status === 410) return undefined
  return (result.status === 200 ? readKeySet(parseJsonObject(result.body)) : undefined) ?? 'unavailable'
}

/** Reads a key set: an object with a list of keys (RFC 7517 §5). Whether a key fits is decided when it is used. */
export function readKeySet(value: unknown): JSONWebKeySet | undefined {
  if (typeof value !== 'object' || value === null || !('keys' in value) || !Array.isArray(value.keys)) return undefined
  return value.keys.length > maxKeys ? undefined : { keys: value.keys.filter(isKey) }
}

/** Whether the set contains only asymmetric public keys, and at least one (RFC 7517 §4). */
export const isPublicKeySet = (keySet: JSONWebKeySet | undefined): boolean =>
  keySet !== undefined &&
  keySet.keys.length > 0 &&
  keySet.keys.every((key) => key.kty !== 'oct' && !('d' in key) && !('k' in key))

const isKey = (key: unknown): key is JSONWebKeySet['keys'][number] =>
  typeof key === 'object' && key !== null && 'kty' in key && typeof key.kty === 'string'

/**
 * In seconds: how long a key set is cached, the minimum time between fetches for unknown keys, and how long a key set is used
 * while the client's server gives no answer.
 */
const keepFor = 600
const cooldown = 60
const staleFor = 3600

const maxBytes = 65_536
const maxKeys = 100
