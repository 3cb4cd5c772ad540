import type { DurationSeconds, EpochSeconds } from '@mintmark/storage-interface'

import { elapsed } from '../runtime/elapsed.ts'
import { watchEndings } from './ending-watch.ts'
import { readFeed, type FeedPage, type ReadFeedDependencies } from './read-feed.ts'

/** What resource servers are told as it happens: which tokens, grants, accounts and clients have ended, whoever ended them. */
export interface RevocationFeed {
  /** What is behind the cursor; from the beginning without one. */
  read(cursor: string | undefined, now: EpochSeconds): Promise<FeedPage>
  /** Waits until there is something behind the cursor, but not longer than that. */
  waitBehind(cursor: string | undefined, now: EpochSeconds, atMost: DurationSeconds): Promise<void>
}

export function createRevocationFeed(deps: ReadFeedDependencies): RevocationFeed {
  const watch = watchEndings(deps.endings)
  const read = async (cursor: string | undefined, now: EpochSeconds): Promise<FeedPage> => {
    const page = await readFeed(cursor, now, deps)
    watch.saw(page.position)
    return page
  }

  return {
    read,
    async waitBehind(cursor, now, atMost) {
      const until = elapsed() + atMost * 1000
      let mayWait = atMost > 0
      while (mayWait) {
        // Before it is read: what is seen meanwhile, by whomever, is news.
        const known = watch.news()
        const page = await read(cursor, now)
        mayWait = page.endings.length === 0 && (await watch.waitForNews(known, until))
      }
    },
  }
}
