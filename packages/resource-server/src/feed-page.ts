import type { ClientAuthentication } from './credentials.ts'
import { fetchBounded, type JsonObject } from './http-client.ts'
import { verifyJws } from './jws.ts'
import type { KeySet } from './key-set.ts'
import { randomNonce, type Random } from './runtime.ts'
import { dependencyKinds, type Revocation } from './token-dependencies.ts'

/** One response of the revocation feed. */
export interface FeedPage {
  readonly revocations: readonly Revocation[]
  /** The time of the response by the clock of the server, in seconds since 1970. */
  readonly sentAt: number
  /** The position after the last revocation of this page. */
  readonly cursor: string
  /** In seconds since 1970: the feed contains every revocation of a token that was issued later. */
  readonly coversAfter: number
  /** Whether the feed already has more revocations after the cursor. */
  readonly more: boolean
}

export interface ReadFeedPageDependencies {
  /** The address of the feed. */
  readonly url: () => Promise<string>
  readonly issuer: string
  readonly clientId: string
  /** Authenticates one request. */
  readonly authenticate: () => Promise<ClientAuthentication>
  readonly keys: KeySet
  readonly fetch: typeof globalThis.fetch
  readonly random: Random
}

/**
 * Reads the feed after the cursor, or from its beginning without a cursor.
 * @param position `wait`: for how many seconds the server may delay the response until there is a revocation.
 * @throws Error when no response arrives that the server has signed for this request.
 */
export async function readFeedPage(
  position: { readonly cursor: string | undefined; readonly wait: number },
  deps: ReadFeedPageDependencies,
  signal: AbortSignal,
): Promise<FeedPage> {
  const { issuer, clientId, fetch } = deps
  const url = await deps.url()
  const nonce = randomNonce(deps.random)
  const authentication = await deps.authenticate()
  const headers = { ...authentication.headers, accept: 'application/revocation-feed+jwt' }
  const cursor = position.cursor === undefined ? {} : { cursor: position.cursor }
  const form = { ...authentication.form, nonce, wait: String(position.wait), ...cursor }
  const timeout = position.wait * 1000 + 2500
  const text = await fetchBounded({ url, headers, form, timeout, limit: maxLength, signal }, fetch)
  const claims = await verifyJws(text, { type: 'revocation-feed+jwt', maxLength }, deps.keys)
  // RFC 8725 §3.8, §3.9: the response must come from this server and be meant for this client. The nonce binds it to this
  // request.
  const isOurs = claims['iss'] === issuer && claims['aud'] === clientId && claims['nonce'] === nonce
  const page = isOurs ? parsePage(claims) : undefined
  if (page === undefined) throw new Error(`The response of ${url} is not a page of the revocation feed.`)
  return page
}

/** Returns `undefined` for a page that contains anything unknown, because the unknown part could revoke a token. */
function parsePage({ cursor, covers_after: coversAfter, more, ended, iat: sentAt }: JsonObject): FeedPage | undefined {
  if (typeof cursor !== 'string' || typeof coversAfter !== 'number' || typeof more !== 'boolean') return undefined
  return typeof sentAt === 'number' && Array.isArray(ended) && ended.every(isRevocation)
    ? { revocations: ended, sentAt, cursor, coversAfter, more }
    : undefined
}

function isRevocation(value: unknown): value is Revocation {
  if (!Array.isArray(value) || value.length !== 3) return false
  const [kind, name, until] = value as readonly unknown[]
  return dependencyKinds.some((known) => known === kind) && typeof name === 'string' && Number.isSafeInteger(until)
}

/** In bytes, and in characters. A page has up to a thousand revocations. */
const maxLength = 262_144
