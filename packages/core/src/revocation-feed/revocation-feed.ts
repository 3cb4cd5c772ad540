import type { ClientId, EpochSeconds } from '@mintmark/storage-interface'

import { elapsed } from '../runtime/elapsed.ts'
import { watchRevocations } from './revocation-watch.ts'
import type { FeedQuestion } from './feed-question.ts'
import { readFeed, type FeedPage, type ReadFeedDependencies } from './read-feed.ts'

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
