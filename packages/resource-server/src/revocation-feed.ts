import type { AccessTokenClaims } from './access-token.ts'
import { readFeedPage, type ReadFeedPageDependencies } from './feed-page.ts'
import { refuse } from './refusals.ts'
import { isWithin, pause, throttle, type Clock } from './runtime.ts'
import { createRevokedDependencies, readTokenDependencies } from './token-dependencies.ts'

/** The status of a token according to the feed: `unknown` when the feed does not cover it. */
type TokenStatus = 'active' | 'revoked' | 'unknown'

/** Knows the revocations of the authorization server without a request for each token. */
export interface RevocationFeed {
  /**
   * @param keyId the key that signed the token. If the key was dropped, the token is revoked.
   * @throws AccessRefusedError `authorization_server_unavailable` when the feed is out of date and the token is not known to
   *   be revoked.
   */
  statusOf(token: AccessTokenClaims, keyId: string): Promise<TokenStatus>
  /** Stops polling. */
  stop(): void
}

/** How the feed is polled. */
export interface PollingRule {
  /**
   * `on_demand`: when the state is older than 0.8 seconds, the next request refreshes it for all requests that arrive
   * meanwhile; nothing runs in the background. `follow`: one request is always open, and the server responds to it as soon
   * as there is a revocation.
   */
  readonly mode: 'on_demand' | 'follow'
  /** For how many milliseconds the last state is used while the server cannot be reached. */
  readonly toleratedSilence: number
}

export interface RevocationFeedDependencies extends ReadFeedPageDependencies {
  readonly clock: Clock
}

export function createRevocationFeed(
  { mode, toleratedSilence }: PollingRule,
  deps: RevocationFeedDependencies,
): RevocationFeed {
  const stopping = new AbortController()
  const reader = createFeedReader(deps, stopping.signal)
  const refresh = throttle(() => reader.catchUp(0), deps.clock)
  let freshFor = freshOnDemand
  const follow = async (): Promise<void> => {
    try {
      await reader.catchUp(longestWait)
      freshFor = freshWhileFollowing
    } catch {
      // The feed is polled again soon. Requests that arrive meanwhile poll it themselves.
      freshFor = freshOnDemand
    }
  }
  if (mode === 'follow') void repeat(follow, stopping.signal, deps.clock)

  return {
    async statusOf(token, keyId) {
      if (reader.isNewerThan(freshFor)) return reader.statusOf(token, keyId)
      try {
        await refresh(freshOnDemand)
      } catch (error) {
        const status = reader.statusOf(token, keyId)
        // RFC 9110 §15.6.4: a revoked token is refused even during an outage; the status of other tokens is not known.
        if (status !== 'revoked' && !reader.isNewerThan(toleratedSilence))
          throw refuse('authorization_server_unavailable', { cause: error })
        return status
      }
      return reader.statusOf(token, keyId)
    },
    stop: () => stopping.abort(),
  }
}

/** Repeats a task, at most twice a second. */
async function repeat(task: () => Promise<void>, signal: AbortSignal, clock: Clock): Promise<void> {
  while (!signal.aborted) {
    const startedAt = clock()
    await task()
    await pause(startedAt + 500 - clock(), signal)
  }
}

/** Holds the part of the feed that was read so far. */
interface FeedReader {
  /**
   * Reads to the end of the feed.
   * @param wait for how many seconds the server may delay the response until there is a revocation.
   * @throws Error when the feed cannot be read.
   */
  catchUp(wait: number): Promise<void>
  /** Tells whether the end of the feed was reached within the given number of milliseconds. */
  isNewerThan(milliseconds: number): boolean
  statusOf(token: AccessTokenClaims, keyId: string): TokenStatus
}

/** Creates a reader that has read nothing yet, so that the status of every token is unknown. */
function createFeedReader(deps: RevocationFeedDependencies, signal: AbortSignal): FeedReader {
  const { clock } = deps
  const revoked = createRevokedDependencies()
  let cursor: string | undefined
  let coversAfter = Infinity
  let readAt = -Infinity

  const catchUp = async (wait: number): Promise<void> => {
    const requestedAt = clock()
    // While the clock was ahead, revocations may have been removed that still matter.
    if (requestedAt < readAt - toleratedStep) [cursor, readAt] = [undefined, -Infinity]
    const requestedFrom = cursor
    const page = await readFeedPage({ cursor: requestedFrom, wait }, deps, signal)
    // Another call may have been faster. This page may then be outdated, so reading continues at the newer cursor.
    const isNext = cursor === requestedFrom
    if (isNext) revoked.add(page.revocations, page.sentAt, clock())
    if (isNext) cursor = page.cursor
    if (!isNext || page.more) return catchUp(0)
    coversAfter = page.coversAfter
    // A response that the server delayed is up to date when it arrives.
    readAt = wait === 0 ? requestedAt : clock()
  }
  return {
    catchUp,
    isNewerThan: (milliseconds) => isWithin(readAt, milliseconds, clock()),
    statusOf(token, keyId) {
      // The key is checked first, because an attacker who has the key can write any other name into the token.
      if (revoked.includesKey(keyId, clock())) return 'revoked'
      const dependencies = readTokenDependencies(token)
      if (dependencies === undefined) return 'unknown'
      if (revoked.includesAnyOf(dependencies, clock())) return 'revoked'
      return token.issuedAt > coversAfter ? 'active' : 'unknown'
    },
  }
}

/** In milliseconds: how far a clock may be set back while revocations are kept for at least five minutes longer than tokens. */
const toleratedStep = 60_000

/** In seconds. */
const longestWait = 5

/** In milliseconds. */
const freshOnDemand = 800
const freshWhileFollowing = longestWait * 1000 + 2500
