import type { EpochSeconds } from '@mintmark/storage-interface'
import type { JSONWebKeySet } from 'jose'

/** The key sets that clients publish: fetched on demand and cached. */
export interface RemoteKeySets {
  /**
   * Returns the key set at a URL from the cache or by fetching it.
   * @param mode `refresh` fetches again when the cached set is older than a minute, because a key may have been added.
   * @returns `undefined` when the URL may not be fetched, or its response is not a key set.
   */
  read(uri: string, mode: 'kept' | 'refresh', now: EpochSeconds): Promise<JSONWebKeySet | undefined>
}

/**
 * Fetches key sets over https, without redirects, with a limit on size and time, one request at a time for each URL.
 */
export function createRemoteKeySets(fetch: typeof globalThis.fetch): RemoteKeySets {
  const kept = new Map<
    string,
    { readonly fetchedAt: EpochSeconds; readonly keySet: Promise<JSONWebKeySet | undefined> }
  >()

  return {
    read(uri, mode, now) {
      if (!isFetchable(uri)) return Promise.resolve(undefined)
      const known = kept.get(uri)
      const maxAge = mode === 'refresh' ? cooldown : keepFor
      if (known !== undefined && now < known.fetchedAt + maxAge) return known.keySet

      // While a client's server is down, its last key set stays in use.
      const keySet = fetchKeySet(uri, fetch).then((fetched) => fetched ?? known?.keySet)
      kept.set(uri, { fetchedAt: now, keySet })
      return keySet
    },
  }
}

/**
 * Whether a URL may be fetched: https, a host name with a dot that is not an IP address, the default port. This
 * prevents a registration from naming an address in the host's own network. Host names that resolve to such addresses
 * are the responsibility of the injected `fetch` (RFC 8725 §3.10).
 */
export function isFetchable(uri: string): boolean {
  if (!URL.canParse(uri)) return false
  const { protocol, hostname, username, password, port, hash } = new URL(uri)
  const isNamed =
    /^(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*$/.test(hostname) && !/\.(?:localhost|local|internal)$/.test(hostname)
  return protocol === 'https:' && isNamed && username === '' && password === '' && port === '' && hash === ''
}

async function fetchKeySet(uri: string, fetch: typeof globalThis.fetch): Promise<JSONWebKeySet | undefined> {
  try {
    const response = await fetch(uri, {
      redirect: 'error',
      headers: { accept: 'application/jwk-set+json, application/json' },
      signal: AbortSignal.timeout(2500),
    })
    const text = response.status === 200 ? await readBounded(response) : undefined
    return text === undefined ? undefined : readKeySet(JSON.parse(text))
  } catch {
    // Any failure means that there are no keys, and the client is not authenticated.
    return undefined
  }
}

async function readBounded(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > maxBytes) return undefined
    chunks.push(chunk)
  }
  return new TextDecoder().decode(await new Blob(chunks.map((chunk) => new Uint8Array(chunk))).arrayBuffer())
}

/** Reads a key set: an object with a list of keys (RFC 7517 §5). Whether a key fits is decided when it is used. */
export function readKeySet(value: unknown): JSONWebKeySet | undefined {
  if (typeof value !== 'object' || value === null || !('keys' in value) || !Array.isArray(value.keys)) return undefined
  return value.keys.length > maxKeys ? undefined : { keys: value.keys.filter(isKey) }
}

const isKey = (key: unknown): key is JSONWebKeySet['keys'][number] =>
  typeof key === 'object' && key !== null && 'kty' in key && typeof key.kty === 'string'

/** In seconds: how long a key set is cached, and the minimum time between fetches for unknown keys. */
const keepFor = 600
const cooldown = 60

const maxBytes = 65_536
const maxKeys = 100
