import type { AccessTokenClaims } from '../access-token/access-token-claims.ts'
import { unavailable } from '../access/access-refusal.ts'
import type { Clock } from '../runtime/clock.ts'
import { pause } from '../runtime/pause.ts'
import { spaced } from '../runtime/spaced.ts'
import { heardFeed, type HeardFeedDependencies, type TokenStatus } from './heard-feed.ts'

/** What has ended at the authorization server, known here without a question for each request. */
export interface RevocationFeed {
  /** @throws AccessRefusal temporarily_unavailable when the feed is not heard, and the token is not known to have ended. */
  standingOf(token: AccessTokenClaims): Promise<TokenStatus>
  /** Stops listening. */
  stop(): void
}

/** How the feed is listened to. */
export interface ListeningRule {
  /**
   * `on_demand`: a request that finds the state older than 0.8 seconds has it refreshed first, for all that come
   * meanwhile; nothing runs in between. `follow`: one request is always open, and the server answers it when something ends.
   */
  readonly mode: 'on_demand' | 'follow'
  /** In milliseconds: for how long the state is believed while the server cannot be reached. */
  readonly toleratedSilence: number
}

/** Listens to the revocation feed. */
export function revocationFeed({ mode, toleratedSilence }: ListeningRule, deps: HeardFeedDependencies): RevocationFeed {
  const stopping = new AbortController()
  const heard = heardFeed(deps, stopping.signal)
  const refresh = spaced(() => heard.catchUp(0), deps.clock)
  let freshFor = freshOnDemand
  const follow = async (): Promise<void> => {
    try {
      await heard.catchUp(longestWait)
      freshFor = freshWhileFollowing
    } catch {
      // It is asked again soon; requests that come meanwhile ask by themselves.
      freshFor = freshOnDemand
    }
  }
  if (mode === 'follow') void repeat(follow, stopping.signal, deps.clock)

  return {
    async standingOf(token) {
      if (heard.isNewerThan(freshFor)) return heard.standingOf(token)
      try {
        await refresh(freshOnDemand)
      } catch (error) {
        const known = await heard.standingOf(token)
        // What has ended is refused also while the feed is not heard. RFC 9110 §15.6.4: of the rest nobody can say yes or no.
        if (known !== 'ended' && !heard.isNewerThan(toleratedSilence)) throw unavailable(error)
        return known
      }
      return heard.standingOf(token)
    },
    stop: () => stopping.abort(),
  }
}

/** Again and again, but never twice in half a second. */
async function repeat(task: () => Promise<void>, signal: AbortSignal, clock: Clock): Promise<void> {
  while (!signal.aborted) {
    const startedAt = clock()
    await task()
    await pause(startedAt + 500 - clock(), signal)
  }
}

/** In seconds. */
const longestWait = 5

/** In milliseconds. */
const freshOnDemand = 800
const freshWhileFollowing = longestWait * 1000 + 2500
