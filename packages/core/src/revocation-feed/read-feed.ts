import {
  after,
  epochSeconds,
  type DurationSeconds,
  type EndingList,
  type EndingRecord,
  type EndingStore,
  type EpochSeconds,
} from '@mintmark/storage-interface'

import { cursorBehind, isPlaceOf, parseFeedCursor } from './feed-cursor.ts'
import { toldEnding, type ToldEnding } from './told-ending.ts'

/** A piece of the feed. */
export interface FeedPage {
  readonly endings: readonly ToldEnding[]
  /** Names the place behind the last of them, in at most 64 letters, digits and points. */
  readonly cursor: string
  /** Of tokens that were issued later than this, the feed tells all that ended. */
  readonly coversAfter: EpochSeconds
  /** Whether there is more behind the cursor already. */
  readonly more: boolean
  /** The position of the last of them. */
  readonly position: number
}

export interface ReadFeedDependencies {
  readonly endings: EndingStore
  /** For how long an ending is told: longer than any access token lives. */
  readonly toldFor: DurationSeconds
}

/** What is behind the cursor, at most a thousand endings; from the beginning where the cursor names no ending that is there. */
export async function readFeed(
  cursor: string | undefined,
  now: EpochSeconds,
  { endings, toldFor }: ReadFeedDependencies,
): Promise<FeedPage> {
  const endedSince = epochSeconds(now - toldFor)
  const place = parseFeedCursor(cursor)
  const { before, behind, completeSince } = await listBehind(place)
  const records = behind.slice(0, pageSize)
  const last = records.at(-1) ?? before
  const until = after(now, toldFor)
  return {
    endings: await Promise.all(records.map(({ ending }) => toldEnding(ending, until))),
    cursor: await cursorBehind(last),
    // A receiver whose clock is ahead forgets endings so much earlier.
    coversAfter: epochSeconds(Math.max(completeSince, endedSince + receiverSkew)),
    more: behind.length > pageSize,
    position: last?.position ?? 0,
  }

  async function listBehind(from: typeof place): Promise<Behind> {
    if (from === undefined) {
      const list = await endings.list({ from: undefined, endedSince, limit: pageSize + 1 })
      return { ...list, before: undefined, behind: list.records }
    }
    // Whoever goes on is told all, also by a process whose clock is far behind.
    const list = await endings.list({ from: from.position, endedSince: epochSeconds(0), limit: pageSize + 2 })
    const [before, ...behind] = list.records
    return (await isPlaceOf(from, before)) ? { ...list, before, behind } : listBehind(undefined)
  }
}

/** What is behind a place, and the ending before it. */
interface Behind extends Pick<EndingList, 'completeSince'> {
  readonly before: EndingRecord | undefined
  readonly behind: readonly EndingRecord[]
}

const pageSize = 1000

/** In seconds. */
const receiverSkew = 60
