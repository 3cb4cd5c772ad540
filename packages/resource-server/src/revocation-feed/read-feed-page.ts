import { verifyJws } from '../access-token/verify-jws.ts'
import { basicAuthorization, type ClientCredentials } from '../authorization-server/client-credentials.ts'
import { fetchBounded } from '../authorization-server/fetch-bounded.ts'
import type { JsonObject } from '../authorization-server/json-object.ts'
import type { KeySet } from '../authorization-server/remote-key-set.ts'
import { randomNonce, type Random } from '../runtime/random.ts'
import type { Revocation } from './ended-lifelines.ts'
import { lifelineKinds } from './lifelines.ts'

/** What the feed says in one answer. */
export interface FeedPage {
  readonly endings: readonly Revocation[]
  /** Names the place behind the last of them. */
  readonly cursor: string
  /** In seconds: of tokens that were issued later, the feed knows all that ended. */
  readonly coversAfter: number
  /** Whether there is more to read behind the cursor, now. */
  readonly more: boolean
}

export interface ReadFeedPageDependencies {
  /** The address of the feed. */
  readonly url: string
  readonly issuer: string
  readonly credentials: ClientCredentials
  readonly keys: KeySet
  readonly fetch: typeof globalThis.fetch
  readonly random: Random
}

/**
 * Reads the feed behind the cursor; from its beginning without one.
 * @param question `wait` is in seconds: how long the server may keep the answer back until there is something to say.
 * @throws Error of whatever kind when there is no answer, or none that the server has signed for this very question.
 */
export async function readFeedPage(
  question: { readonly cursor: string | undefined; readonly wait: number },
  deps: ReadFeedPageDependencies,
  signal: AbortSignal,
): Promise<FeedPage> {
  const { url, issuer, credentials, fetch } = deps
  const nonce = randomNonce(deps.random)
  const headers = { authorization: basicAuthorization(credentials), accept: 'application/revocation-feed+jwt' }
  const form = { nonce, wait: String(question.wait), ...(question.cursor !== undefined && { cursor: question.cursor }) }
  const timeout = question.wait * 1000 + 2500
  const text = await fetchBounded({ url, headers, form, timeout, limit: maxLength, signal }, fetch)
  const claims = await verifyJws(text, { type: 'revocation-feed+jwt', maxLength }, deps.keys)
  // RFC 8725 §3.8, §3.9: of this server, for this client. The nonce makes it the answer to this question and to no earlier one.
  const isOurs = claims['iss'] === issuer && claims['aud'] === credentials.clientId && claims['nonce'] === nonce
  const page = isOurs ? readPage(claims) : undefined
  if (page === undefined) throw new Error(`${url} answered no feed that can be understood.`)
  return page
}

/** A page with something that is not understood is not understood at all: it could be what ends a token. */
function readPage({ cursor, covers_after: coversAfter, more, ended }: JsonObject): FeedPage | undefined {
  if (typeof cursor !== 'string' || typeof coversAfter !== 'number' || typeof more !== 'boolean') return undefined
  return Array.isArray(ended) && ended.every(isEnding) ? { endings: ended, cursor, coversAfter, more } : undefined
}

function isEnding(value: unknown): value is Revocation {
  if (!Array.isArray(value) || value.length !== 3) return false
  const [kind, name, until] = value as readonly unknown[]
  return lifelineKinds.some((known) => known === kind) && typeof name === 'string' && Number.isSafeInteger(until)
}

/** In bytes and characters: a page holds up to a thousand endings. */
const maxLength = 262_144
