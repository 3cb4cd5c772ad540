import type { AccessTokenClaims } from '../access-token/access-token-claims.ts'
import type { Clock } from '../runtime/clock.ts'
import { isWithin } from '../runtime/spaced.ts'
import { endedLifelines } from './ended-lifelines.ts'
import { readLifelines } from './lifelines.ts'
import { readFeedPage, type ReadFeedPageDependencies } from './read-feed-page.ts'

/** What is known of a token's standing: `unsure` when the feed cannot speak of it. */
export type TokenStatus = 'live' | 'ended' | 'unsure'

/** What was heard of the feed so far. */
export interface HeardFeed {
  /**
   * Reads to the feed's end.
   * @param wait in seconds: how long the server may keep its answer back until there is something to say.
   * @throws Error of whatever kind when the feed is not heard.
   */
  catchUp(wait: number): Promise<void>
  /** Whether it was read to its end within so many milliseconds. */
  isNewerThan(milliseconds: number): boolean
  /** What it says of the token. */
  standingOf(token: AccessTokenClaims): Promise<TokenStatus>
}

export interface HeardFeedDependencies extends ReadFeedPageDependencies {
  readonly clock: Clock
}

/** Nothing was heard yet, and so it is unsure of every token. */
export function heardFeed(deps: HeardFeedDependencies, signal: AbortSignal): HeardFeed {
  const { clock } = deps
  const ended = endedLifelines()
  let cursor: string | undefined
  let coversAfter = Infinity
  let heardAt = -Infinity

  const catchUp = async (wait: number): Promise<void> => {
    const [askedAt, askedFrom] = [clock(), cursor]
    const page = await readFeedPage({ cursor: askedFrom, wait }, deps, signal)
    // Where another reader was faster, this page may say what is true no more: it goes on from there.
    const isNext = cursor === askedFrom
    if (isNext) ended.add(page.endings, clock())
    if (isNext) cursor = page.cursor
    if (!isNext || page.more) return catchUp(0)
    coversAfter = page.coversAfter
    // An answer that was kept back is as new as its arrival.
    heardAt = wait === 0 ? askedAt : clock()
  }
  return {
    catchUp,
    isNewerThan: (milliseconds) => isWithin(heardAt, milliseconds, clock()),
    async standingOf(token) {
      const lifelines = readLifelines(token)
      if (lifelines === undefined) return 'unsure'
      if (await ended.hasOneOf(lifelines, clock())) return 'ended'
      return token.issuedAt > coversAfter ? 'live' : 'unsure'
    },
  }
}
