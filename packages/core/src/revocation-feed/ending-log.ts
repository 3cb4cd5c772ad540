import { epochSeconds, type DurationSeconds, type EpochSeconds } from '@mintmark/storage-interface'

import type { Ending } from './ending.ts'
import { createWaitingRoom } from './waiting-room.ts'

/** A piece of the feed. */
export interface FeedPage {
  readonly endings: readonly Ending[]
  /** Names the place behind the last of them. */
  readonly cursor: string
  /** Of tokens that were issued later than this, the feed tells all that ended. */
  readonly coversAfter: EpochSeconds
  /** Whether there is more behind the cursor already. */
  readonly more: boolean
}

/** Endings in the order in which they came. */
export interface EndingLog {
  append(ending: Ending, now: EpochSeconds): void
  /** What is behind the cursor, at most a thousand endings; from the beginning where the cursor is none of this log's. */
  read(cursor: string | undefined, now: EpochSeconds): FeedPage
  /** Waits until there is something behind the cursor, but not longer than that. */
  waitBehind(cursor: string | undefined, atMost: DurationSeconds): Promise<void>
}

interface EndingLogOptions {
  /** Tells this log from others, and from itself before a restart. */
  readonly name: string
  readonly startedAt: EpochSeconds
  /** How long an ending is kept. */
  readonly keepFor: DurationSeconds
}

/** A log in this process's memory. What ended before it began it does not know, and says so. */
export function createEndingLog({ name, startedAt, keepFor }: EndingLogOptions): EndingLog {
  const entries: { readonly ending: Ending; readonly at: EpochSeconds }[] = []
  const room = createWaitingRoom()
  /** How many endings were forgotten: the number of the first that is there. */
  let forgotten = 0
  let coversAfter = startedAt

  const head = (): number => forgotten + entries.length
  const positionOf = (cursor: string | undefined): number => {
    const [log, position = ''] = (cursor ?? '').split('.')
    const isOurs = log === name && /^\d{1,15}$/.test(position) && Number(position) <= head()
    return isOurs ? Math.max(Number(position), forgotten) : forgotten
  }
  const forget = (count: number): void => {
    entries.splice(0, count)
    forgotten += count
  }

  return {
    append(ending, now) {
      const fresh = entries.findIndex(({ at }) => now < at + keepFor)
      if (fresh > 0) forget(fresh)
      const [oldest] = entries
      // What is forgotten before its time is owned up to: older tokens are covered no more.
      if (entries.length >= maxEntries && oldest !== undefined) coversAfter = oldest.at
      if (entries.length >= maxEntries) forget(1)
      entries.push({ ending, at: now })
      room.wakeAll()
    },
    read(cursor, now) {
      const from = positionOf(cursor) - forgotten
      const endings = entries.slice(from, from + pageSize).map(({ ending }) => ending)
      const end = forgotten + from + endings.length
      const reachesTo = epochSeconds(Math.max(coversAfter, now - keepFor + receiverSkew))
      return { endings, cursor: `${name}.${end}`, coversAfter: reachesTo, more: end < head() }
    },
    async waitBehind(cursor, atMost) {
      if (cursor === `${name}.${head()}`) await room.wait(atMost)
    },
  }
}

const pageSize = 1000

/** About 20 MB. */
const maxEntries = 100_000

/** In seconds: a receiver whose clock is ahead forgets endings so much earlier. */
const receiverSkew = 60
