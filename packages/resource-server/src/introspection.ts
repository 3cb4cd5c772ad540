import { createSharedWork } from '@mintmark/internal'
import type { ClientAuthentication } from './credentials.ts'
import { fetchBounded, parseJsonObject, type JsonObject } from './http-client.ts'
import { refuse } from './refusals.ts'
import { digest, isWithin, type Clock, type EpochMilliseconds } from './runtime.ts'

export interface IntrospectDependencies {
  /** The address of the introspection endpoint. */
  readonly url: () => Promise<string>
  /** Authenticates one request. */
  readonly authenticate: () => Promise<ClientAuthentication>
  readonly fetch: typeof globalThis.fetch
}

/**
 * Asks the authorization server about a token (RFC 7662 §2).
 * @returns the response for an active token; `undefined` for a token that is not active.
 * @throws AccessRefusedError `authorization_server_unavailable` when there is no valid response, because the token may
 *   still be active.
 */
export async function introspect(
  token: string,
  { url, authenticate, fetch }: IntrospectDependencies,
): Promise<JsonObject | undefined> {
  const address = await url()
  let description: JsonObject | undefined
  try {
    const authentication = await authenticate()
    const headers = { ...authentication.headers, accept: 'application/json' }
    const form = { ...authentication.form, token, token_type_hint: 'access_token' }
    const text = await fetchBounded({ url: address, headers, form, timeout: 2500, limit: 65_536 }, fetch)
    description = parseJsonObject(text)
  } catch (error) {
    // RFC 9110 §15.6.4: without a response the token can be neither accepted nor rejected.
    throw refuse('authorization_server_unavailable', { cause: error })
  }
  // RFC 7662 §2.2: `active` is required, and a boolean.
  if (typeof description?.['active'] !== 'boolean')
    throw refuse(
      'authorization_server_unavailable',
      new Error(`The response of ${address} is not an introspection response.`),
    )
  return description['active'] ? description : undefined
}

/** Returns the introspection response for an active token, or `undefined` for a token that is not active. */
export type Introspect = (token: string) => Promise<JsonObject | undefined>

/**
 * Creates a cache that keeps responses for `cacheFor` milliseconds, for active and inactive tokens alike, but for an active
 * token only until it expires (RFC 7662 §4). It stores digests instead of tokens. Simultaneous requests with one token
 * cause one introspection request. The numbers of active and inactive tokens are limited separately, so that invented
 * tokens do not evict active ones.
 */
export function createIntrospectionCache(
  requestIntrospection: Introspect,
  { cacheFor, clock }: { readonly cacheFor: number; readonly clock: Clock },
): Introspect {
  const share = createSharedWork<JsonObject | undefined>()
  const active = new Map<string, CachedResponse>()
  const inactive = new Map<string, CachedResponse>()

  const remember = (key: string, description: JsonObject | undefined, requestedAt: EpochMilliseconds): void => {
    const responses = description === undefined ? inactive : active
    const expiresAt = Number(description?.['exp'] ?? Infinity) * 1000
    responses.delete(key)
    makeRoom(responses, clock())
    responses.set(key, { description, requestedAt, keepFor: Math.min(cacheFor, expiresAt - requestedAt) })
  }
  const requestAndCache = async (key: string, token: string): Promise<JsonObject | undefined> => {
    // The age is measured from the request, because the token may be revoked while the response is on its way.
    const requestedAt = clock()
    const description = await requestIntrospection(token)
    remember(key, description, requestedAt)
    return description
  }

  return async (token) => {
    const key = await digest(token)
    const now = clock()
    const cached = [active.get(key), inactive.get(key)].find(
      (response) => response !== undefined && isFresh(response, now),
    )
    if (cached !== undefined) return cached.description
    return share(key, () => requestAndCache(key, token))
  }
}

interface CachedResponse {
  readonly description: JsonObject | undefined
  readonly requestedAt: EpochMilliseconds
  /** In milliseconds. */
  readonly keepFor: number
}

const isFresh = ({ requestedAt, keepFor }: CachedResponse, now: EpochMilliseconds): boolean =>
  isWithin(requestedAt, keepFor, now)

/** Removes expired responses, starting with the oldest, and the oldest response when there are too many. */
function makeRoom(responses: Map<string, CachedResponse>, now: EpochMilliseconds): void {
  for (const [key, response] of responses) {
    if (isFresh(response, now) && responses.size < maxResponses) return
    responses.delete(key)
  }
}

const maxResponses = 10_000
