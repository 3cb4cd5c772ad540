import type { EpochSeconds } from '@mintmark/storage-interface'
import type { JSONWebKeySet } from 'jose'

/** Where clients publish their keys: fetched when needed, kept for a while. */
export interface RemoteKeySets {
  /**
   * The key set at an address, as last fetched.
   * @param mode `refresh` fetches again when the kept one is older than a minute: a key may have been added.
   * @returns `undefined` when the address may not be fetched, or did not answer with a key set.
   */
  read(uri: string, mode: 'kept' | 'refresh', now: EpochSeconds): Promise<JSONWebKeySet | undefined>
}

/** Key sets fetched over https, without redirects, within a size and a time; one request at a time for each address. */
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

      // A client whose server is down for a moment keeps the keys that it had.
      const keySet = fetchKeySet(uri, fetch).then((fetched) => fetched ?? known?.keySet)
      kept.set(uri, { fetchedAt: now, keySet })
      return keySet
    },
  }
}

/**
 * Whether an address may be fetched: https, a host name with a dot that is no IP address, the default port. It keeps a
 * registration from reaching into the host's own network by its literal address; names that resolve there are the
 * business of the injected `fetch` (RFC 8725 §3.10).
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
    // Whatever goes wrong on the way, there are no keys, and the client is not authenticated.
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

/** RFC 7517 §5: an object with a list of keys. Which of them fit is decided when one is used. */
export function readKeySet(value: unknown): JSONWebKeySet | undefined {
  if (typeof value !== 'object' || value === null || !('keys' in value) || !Array.isArray(value.keys)) return undefined
  return value.keys.length > maxKeys ? undefined : { keys: value.keys.filter(isKey) }
}

const isKey = (key: unknown): key is JSONWebKeySet['keys'][number] =>
  typeof key === 'object' && key !== null && 'kty' in key && typeof key.kty === 'string'

/** In seconds: how long a key set is used without asking again, and how soon an unknown key may make us ask. */
const keepFor = 600
const cooldown = 60

const maxBytes = 65_536
const maxKeys = 100
