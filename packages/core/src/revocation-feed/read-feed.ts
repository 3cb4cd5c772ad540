import {
  after,
  epochSeconds,
  type DurationSeconds,
  type RevocationList,
  type RevocationRecord,
  type RevocationStore,
  type EpochSeconds,
} from '@mintmark/storage-interface'

import { cursorBehind, isPlaceOf, parseFeedCursor } from './feed-cursor.ts'
import { deliveredRevocation, type DeliveredRevocation } from './delivered-revocation.ts'

/** A piece of the feed. */
export interface FeedPage {
  readonly endings: readonly DeliveredRevocation[]
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
  readonly endings: RevocationStore
  /** For how long an ending is told: longer than any access token lives. */
  readonly toldFor: DurationSeconds
}

/** What is behind the cursor, at most a thousand endings; from the beginning where the cursor names no ending that is there. */
export async function readFeed(
  cursor: string | undefined,
  now: EpochSeconds,
  { endings: store, toldFor }: ReadFeedDependencies,
): Promise<FeedPage> {
  const endedSince = epochSeconds(now - toldFor)
  const place = parseFeedCursor(cursor)
  const { before, behind, completeSince } = await listBehind(place)
  const until = after(now, toldFor)
  const told = await Promise.all(
    behind.slice(0, pageSize).map(({ revocation: ending }) => deliveredRevocation(ending, until)),
  )
  const endings = told.slice(0, fitting(told))
  const last = behind[endings.length - 1] ?? before
  return {
    endings,
    cursor: await cursorBehind(last),
    // A receiver whose clock is ahead forgets endings so much earlier.
    coversAfter: epochSeconds(Math.max(completeSince, endedSince + receiverSkew)),
    more: behind.length > endings.length,
    position: last?.position ?? 0,
  }

  async function listBehind(from: typeof place): Promise<Behind> {
    if (from === undefined) {
      const list = await store.list({ from: undefined, endedSince, limit: pageSize + 1 })
      return { ...list, before: undefined, behind: list.records }
    }
    // Whoever goes on is told all, also by a process whose clock is far behind.
    const list = await store.list({ from: from.position, endedSince: epochSeconds(0), limit: pageSize + 2 })
    const [before, ...behind] = list.records
    return (await isPlaceOf(from, before)) ? { ...list, before, behind } : listBehind(undefined)
  }
}

/** How many of them one page has room for, and never none: receivers read no answer that is larger than they expect. */
function fitting(told: readonly DeliveredRevocation[]): number {
  let length = 0
  for (const [index, [, name]] of told.entries()) {
    length += name.length
    if (length > namesOnPage) return Math.max(index, 1)
  }
  return told.length
}

/** What is behind a place, and the ending before it. */
interface Behind extends Pick<RevocationList, 'completeSince'> {
  readonly before: RevocationRecord | undefined
  readonly behind: readonly RevocationRecord[]
}

const pageSize = 1000

/** In characters. Only names of clients may be long: with each of them escaped the answer is shorter than 256 KiB. */
const namesOnPage = 80_000

/** In seconds. */
const receiverSkew = 60
