import type { AccessTokenClaims } from '../access-token/access-token-claims.ts'
import { unavailable } from '../access/access-refusal.ts'
import type { Clock } from '../runtime/clock.ts'
import { pause } from '../runtime/pause.ts'
import { isWithin, spaced } from '../runtime/spaced.ts'
import { endedLifelines } from './ended-lifelines.ts'
import { readLifelines, type Lifelines } from './lifelines.ts'
import { readFeedPage, type ReadFeedPageDependencies } from './read-feed-page.ts'

/** What is known of a token's standing: `unsure` when the feed cannot speak of it. */
type Standing = 'live' | 'ended' | 'unsure'

/** What has ended at the authorization server, known here without a question for each request. */
export interface RevocationFeed {
  /** @throws AccessRefusal temporarily_unavailable when the feed is not heard, and the token is not known to have ended. */
  standingOf(token: AccessTokenClaims): Promise<Standing>
  /** Stops listening. */
  stop(): void
}

export interface RevocationFeedDependencies extends ReadFeedPageDependencies {
  readonly clock: Clock
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
export function revocationFeed({ mode, toleratedSilence }: ListeningRule, deps: RevocationFeedDependencies): RevocationFeed {
  const { clock } = deps
  const stopping = new AbortController()
  const ended = endedLifelines()
  let freshFor = freshOnDemand
  let cursor: string | undefined
  let coversAfter = Infinity
  let heardAt = -Infinity

  /** Reads to the feed's end. */
  const catchUp = async (wait: number): Promise<void> => {
    const [askedAt, askedFrom] = [clock(), cursor]
    const page = await readFeedPage({ cursor: askedFrom, wait }, deps, stopping.signal)
    // Where another reader was faster, this page may say what is true no more: it goes on from there.
    const isNext = cursor === askedFrom
    if (isNext) ended.add(page.endings, clock())
    if (isNext) cursor = page.cursor
    if (!isNext || page.more) return catchUp(0)
    coversAfter = page.coversAfter
    // An answer that was kept back is as new as its arrival.
    heardAt = wait === 0 ? askedAt : clock()
  }
  const follow = async (): Promise<void> => {
    try {
      await catchUp(longestWait)
      freshFor = freshWhileFollowing
    } catch {
      // It is asked again soon; requests that come meanwhile ask by themselves.
      freshFor = freshOnDemand
    }
  }
  const refresh = spaced(() => catchUp(0), clock)
  if (mode === 'follow') void repeat(follow, stopping.signal, clock)

  const judge = async (token: AccessTokenClaims, lifelines: Lifelines): Promise<Standing> => {
    if (await ended.hasOneOf(lifelines, clock())) return 'ended'
    return token.issuedAt > coversAfter ? 'live' : 'unsure'
  }
  return {
    async standingOf(token) {
      const lifelines = readLifelines(token)
      if (lifelines === undefined) return 'unsure'
      if (isWithin(heardAt, freshFor, clock())) return judge(token, lifelines)
      try {
        await refresh(freshOnDemand)
      } catch (error) {
        const known = await judge(token, lifelines)
        // What has ended is refused also while the feed is not heard. RFC 9110 §15.6.4: of the rest nobody can say yes or no.
        if (known !== 'ended' && !isWithin(heardAt, toleratedSilence, clock())) throw unavailable(error)
        return known
      }
      return judge(token, lifelines)
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
