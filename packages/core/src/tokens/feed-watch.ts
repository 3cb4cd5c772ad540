import { epochSeconds, type ClientId, type EpochSeconds, type RevocationStore } from '@mintmark/storage-interface'

import type { FeedQuestion } from '../revocation-feed/feed-question.ts'
import { elapsed } from '../runtime/elapsed.ts'
import { readFeed, type FeedPage, type ReadFeedDependencies } from './feed-page.ts'

/** What resource servers are told as it happens: which tokens, grants, accounts and clients have ended, whoever ended them. */
export interface RevocationFeed {
  /** What is behind the cursor; from the beginning without one. */
  read(cursor: string | undefined, now: EpochSeconds): Promise<FeedPage>
  /**
   * Waits until there is something behind the cursor, but not longer than the question allows, and not at all while too many
   * questions of the caller wait already: who asks again after a pause misses nothing.
   */
  waitBehind(question: Pick<FeedQuestion, 'cursor' | 'wait'>, caller: ClientId, now: EpochSeconds): Promise<void>
}

export function createRevocationFeed(deps: ReadFeedDependencies): RevocationFeed {
  const watch = watchRevocations(deps.endings)
  const read = async (cursor: string | undefined, now: EpochSeconds): Promise<FeedPage> => {
    const page = await readFeed(cursor, now, deps)
    watch.saw(page.position)
    return page
  }

  return {
    read,
    async waitBehind({ cursor, wait }, caller, now) {
      const until = elapsed() + wait * 1000
      let mayWait = wait > 0
      while (mayWait) {
        // Before it is read: what is seen meanwhile, by whomever, is news.
        const known = watch.news()
        const page = await read(cursor, now)
        mayWait = page.endings.length === 0 && (await watch.waitForNews(known, until, caller))
      }
    },
  }
}

/** Notices that something has ended, in this process or in another one. */
interface RevocationWatch {
  /** Changes whenever something new was seen. */
  news(): number
  /** Something that was read stands at this position. */
  saw(position: number): void
  /**
   * Waits until `news` is no longer what it was.
   * @param until a moment of `elapsed`.
   * @param name whose wait it is.
   * @returns whether there is news: not when the moment has come, nor, at once, when too many wait, or too many by that name.
   */
  waitForNews(known: number, until: number, name: string): Promise<boolean>
}

/**
 * While somebody waits the store is looked at ten times a second, once for all: what another process has ended is noticed in
 * no other way, and what this one has ended is noticed in the same. Each waits by a timer of its own, as on Workers
 * no request may be woken by another one.
 */
function watchRevocations(endings: RevocationStore): RevocationWatch {
  let news = 0
  let position = 0
  let lookedAt = -Infinity
  const places = createWaitingPlaces()

  const saw = (seen: number): void => {
    if (seen <= position) return
    position = seen
    news += 1
  }
  const look = async (): Promise<void> => {
    // Whoever comes first looks. The time is noted before: a look that never ends does not keep others from looking.
    if (elapsed() < lookedAt + interval) return
    lookedAt = elapsed()
    const { records } = await endings.list({ from: Math.max(position, 1), endedSince: epochSeconds(0), limit: 1000 })
    // What was seen last is gone. A database that was restored, or has lost its last transactions, gives positions again.
    if (records.length === 0 && position > 0) [position, news] = [0, news + 1]
    saw(records.at(-1)?.position ?? 0)
  }
  return {
    news: () => news,
    saw,
    async waitForNews(known, until, name) {
      if (!places.take(name)) return false
      const isOver = (): boolean => news !== known || elapsed() >= until
      try {
        while (!isOver()) {
          await look()
          if (!isOver()) await pause(Math.min(interval, until - elapsed()))
        }
        return news !== known
      } finally {
        places.leave(name)
      }
    },
  }
}

async function pause(milliseconds: number): Promise<void> {
  if (milliseconds <= 0) return
  await new Promise((resolve) => AbortSignal.timeout(Math.ceil(milliseconds)).addEventListener('abort', resolve))
}

/** In milliseconds. */
const interval = 100

/** Places for those who wait, of which nobody gets so many that nothing is left for the others. */
interface WaitingPlaces {
  /** @returns whether there was a place. Who got one gives it back by `leave`. */
  take(name: string): boolean
  leave(name: string): void
}

function createWaitingPlaces(): WaitingPlaces {
  const taken = new Map<string, number>()
  let all = 0

  return {
    take(name) {
      const own = taken.get(name) ?? 0
      if (own >= placesOfOne || all >= places) return false
      taken.set(name, own + 1)
      all += 1
      return true
    },
    leave(name) {
      const own = taken.get(name) ?? 0
      if (own > 1) taken.set(name, own - 1)
      else taken.delete(name)
      all -= 1
    },
  }
}

const places = 1000

const placesOfOne = 50
