import { basicAuthorization, fetchBounded, type ClientCredentials, type JsonObject } from './http-client.ts'
import { verifyJws } from './jws.ts'
import type { KeySet } from './key-set.ts'
import { randomNonce, type Random } from './runtime.ts'
import { dependencyKinds, type Revocation } from './token-dependencies.ts'

/** One response of the revocation feed. */
export interface FeedPage {
  readonly revocations: readonly Revocation[]
  /** The position after the last of them. */
  readonly cursor: string
  /** In seconds: the feed knows every revocation of tokens that were issued later. */
  readonly coversAfter: number
  /** Whether more can be read after the cursor, now. */
  readonly more: boolean
}

export interface ReadFeedPageDependencies {
  /** The address of the feed. */
  readonly url: () => Promise<string>
  readonly issuer: string
  readonly credentials: ClientCredentials
  readonly keys: KeySet
  readonly fetch: typeof globalThis.fetch
  readonly random: Random
}

/**
 * Reads the feed after the cursor; from its beginning without one.
 * @param position `wait` is in seconds: how long the server may hold the response until there is a revocation.
 * @throws Error when there is no response that the server has signed for this request.
 */
export async function readFeedPage(
  position: { readonly cursor: string | undefined; readonly wait: number },
  deps: ReadFeedPageDependencies,
  signal: AbortSignal,
): Promise<FeedPage> {
  const { issuer, credentials, fetch } = deps
  const url = await deps.url()
  const nonce = randomNonce(deps.random)
  const headers = { authorization: basicAuthorization(credentials), accept: 'application/revocation-feed+jwt' }
  const form = { nonce, wait: String(position.wait), ...(position.cursor !== undefined && { cursor: position.cursor }) }
  const timeout = position.wait * 1000 + 2500
  const text = await fetchBounded({ url, headers, form, timeout, limit: maxLength, signal }, fetch)
  const claims = await verifyJws(text, { type: 'revocation-feed+jwt', maxLength }, deps.keys)
  // RFC 8725 §3.8, §3.9: from this server, for this client. The nonce ties the response to this request.
  const isOurs = claims['iss'] === issuer && claims['aud'] === credentials.clientId && claims['nonce'] === nonce
  const page = isOurs ? parsePage(claims) : undefined
  if (page === undefined) throw new Error(`The response of ${url} is not a page of the revocation feed.`)
  return page
}

/** A page with an unknown part is refused as a whole: the part could be what revokes a token. */
function parsePage({ cursor, covers_after: coversAfter, more, ended }: JsonObject): FeedPage | undefined {
  if (typeof cursor !== 'string' || typeof coversAfter !== 'number' || typeof more !== 'boolean') return undefined
  return Array.isArray(ended) && ended.every(isRevocation)
    ? { revocations: ended, cursor, coversAfter, more }
    : undefined
}

function isRevocation(value: unknown): value is Revocation {
  if (!Array.isArray(value) || value.length !== 3) return false
  const [kind, name, until] = value as readonly unknown[]
  return dependencyKinds.some((known) => known === kind) && typeof name === 'string' && Number.isSafeInteger(until)
}

/** In bytes and characters: a page has up to a thousand revocations. */
const maxLength = 262_144
