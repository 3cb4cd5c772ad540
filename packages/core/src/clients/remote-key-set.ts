import { forgetOldest, isLoopbackHost, parseJsonObject } from '@mintmark/internal'
import { type ClientRecord, type EpochSeconds, seconds } from '@mintmark/storage-interface'
import type { JSONWebKeySet } from 'jose'

import { isOutboundUrl, type OutboundClient } from '../outbound/client.ts'
import { refuse } from '../refusals.ts'

/** The key sets that clients publish: fetched on demand and cached. */
export interface RemoteKeySets {
  /**
   * Returns the key set at the `jwks_uri` of a client, from the cache or by fetching it.
   * @param mode `cached` fetches when the cached set is older than ten minutes. `refresh` fetches when it is older than
   *   a minute, because a key may have been added.
   * @returns `undefined` when the client has no `jwks_uri`, or there is no key set at the URL.
   * @throws OAuthError temporarily_unavailable — reason `client_keys_unavailable`: the key set could not be fetched, and
   *   the cached one is older than an hour; with `refresh`, also when a cached one exists.
   */
  read(client: Publisher, mode: 'cached' | 'refresh', now: EpochSeconds): Promise<JSONWebKeySet | undefined>
}

type Publisher = Pick<ClientRecord, 'clientId' | 'origin' | 'jwksUri'>

/**
 * Creates the caches of key sets. Those whom an administrator trusts, those who registered themselves, and those who
 * only publish a document have each a cache and connections of their own, and so cannot use up those of the others.
 * @param createClient is called for each of them.
 */
export function createRemoteKeySets(createClient: () => OutboundClient): RemoteKeySets {
  const registration = createKeySetCache(createClient())
  const caches = {
    administrator: createKeySetCache(createClient()),
    registration,
    // Only an administrator or the host can have given keys to such clients.
    open_registration: registration,
    directory: registration,
    document: createKeySetCache(createClient()),
  }
  return {
    async read({ clientId, origin, jwksUri }, mode, now) {
      if (jwksUri === undefined) return undefined
      const { outcome, requestedAt } = await caches[origin](jwksUri, mode, now)
      const isUsable = outcome.answeredAt !== undefined && now < outcome.answeredAt + staleFor
      if (outcome.hasFailed && (mode === 'refresh' || !isUsable)) {
        // RFC 6749 §5.2: invalid_client would say that the credentials are wrong, and they were not even checked.
        const retryAfter = seconds(Math.max(requestedAt + retryFailedAfter - now, 1))
        throw refuse('client_keys_unavailable', { clientId }, { retryAfter })
      }
      return isUsable ? outcome.keySet : undefined
    },
  }
}

type KeySetCache = (
  uri: string,
  mode: 'cached' | 'refresh',
  now: EpochSeconds,
) => Promise<{ readonly outcome: Outcome; readonly requestedAt: EpochSeconds }>

/** Fetches key sets, one request at a time for each URL. Beyond a thousand URLs, the oldest key sets are removed. */
function createKeySetCache(outbound: OutboundClient): KeySetCache {
  const cached = new Map<string, { readonly requestedAt: EpochSeconds; readonly pending: Promise<Outcome> }>()

  return async function read(uri, mode, now) {
    const known = cached.get(uri)
    const outcome = await known?.pending
    // Meanwhile, another read may have sent a request.
    if (cached.get(uri) !== known) return read(uri, mode, now)
    if (known !== undefined && outcome !== undefined) {
      const maxAge = outcome.hasFailed ? retryFailedAfter : mode === 'refresh' ? cooldown : keepFor
      if (now < known.requestedAt + maxAge) return { outcome, requestedAt: known.requestedAt }
    }
    const pending = fetchOrReuse(uri, outcome, now)
    cached.delete(uri)
    cached.set(uri, { requestedAt: now, pending })
    forgetOldest(cached, maxCached)
    return { outcome: await pending, requestedAt: now }
  }

  /** Fetches the key set. While the client's server is down, returns the last key set instead. */
  async function fetchOrReuse(uri: string, previous: Outcome | undefined, now: EpochSeconds): Promise<Outcome> {
    const fetched = await fetchKeySet(uri, outbound)
    if (fetched !== 'unavailable') return { keySet: fetched, answeredAt: now, hasFailed: false }
    return { keySet: previous?.keySet, answeredAt: previous?.answeredAt, hasFailed: true }
  }
}

interface Outcome {
  /** The last key set that the client's server returned. */
  readonly keySet: JSONWebKeySet | undefined
  /** When the client's server last answered; `undefined` if it never has. */
  readonly answeredAt: EpochSeconds | undefined
  /** Whether the last request got no usable response. */
  readonly hasFailed: boolean
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
 * In seconds: how long a key set is cached, the minimum time between fetches for unknown keys and after a failure, and
 * how long a key set is used while the client's server does not respond.
 */
const keepFor = 600
const cooldown = 60
const retryFailedAfter = 10
const staleFor = 3600

/** A key set is at most `maxBytes` long, so each cache is at most 64 MiB. */
const maxCached = 1000
const maxBytes = 65_536
const maxKeys = 100

/** Whether an issuer may publish its keys there. Loopback is for development: it is fetched only if the host allows it. */
export const isKeySetUrl = (url: string): boolean =>
  isOutboundUrl(url) || (URL.canParse(url) && isLoopbackHost(new URL(url).hostname))
