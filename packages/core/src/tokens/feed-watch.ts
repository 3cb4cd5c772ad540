import { elapsed } from '@mintmark/internal'
import { epochSeconds, type ClientId, type DurationSeconds, type EpochSeconds } from '@mintmark/storage-interface'
import { type RevocationStore } from '@mintmark/storage-interface/stores'

import { createWaitLimit } from '../wait-limit.ts'
import { readFeed, type FeedPage, type ReadFeedDependencies } from './feed-page.ts'

/** The feed of revoked tokens, grants, users and clients, from all processes that use this storage. */
export interface RevocationFeed {
  /** Reads the page after the cursor, or the first page without a cursor. */
  read(cursor: string | undefined, now: EpochSeconds): Promise<FeedPage>
  /**
   * Waits until an entry is available after the cursor, at most for the requested time, and not at all while the
   * caller already has too many waiting requests. A caller misses no entries if it polls again later.
   */
  waitForEntries(
    request: { readonly cursor: string | undefined; readonly wait: DurationSeconds },
    caller: ClientId,
    now: EpochSeconds,
  ): Promise<void>
}

export function createRevocationFeed(
  deps: ReadFeedDependencies,
  watch: RevocationWatch = watchRevocations(deps.revocations),
): RevocationFeed {
  const read = async (cursor: string | undefined, now: EpochSeconds): Promise<FeedPage> => {
    const page = await readFeed(cursor, now, deps)
    watch.noteSeen(page.position)
    return page
  }

  return {
    read,
    async waitForEntries({ cursor, wait }, caller, now) {
      const until = watch.elapsed() + wait * 1000
      let mayWait = wait > 0
      while (mayWait) {
        // Taken before the read, so that an entry that is seen during the read is new.
        const known = watch.version()
        const page = await read(cursor, now)
        mayWait = page.revocations.length === 0 && (await watch.waitForChange(known, until, caller))
      }
    },
  }
}

/** Notices new revocations, by this process or another one. */
export interface RevocationWatch {
  /** The time by which `waitForChange` measures, in milliseconds. */
  elapsed(): number
  /** A version that changes whenever a new entry was seen. */
  version(): number
  /** The last position that was seen. */
  position(): number
  /** Records that an entry with this position was read. */
  noteSeen(position: number): void
  /** Reads new entries from the store, unless a call within the last tenth of a second did so. */
  poll(): Promise<void>
  /**
   * Waits until the version differs from `known`.
   * @param until a time of `elapsed`.
   * @param name the caller, for the limit of waiting requests.
   * @returns whether there are new entries: `false` after the time-out and, at once, when too many requests wait.
   */
  waitForChange(known: number, until: number, name: string): Promise<boolean>
}

/**
 * Polls the store ten times a second while requests wait, once for all of them. This finds entries that this process or
 * another one has written. Each request has its own timer, because on Workers one request cannot wake another.
 */
export function watchRevocations(store: RevocationStore, time: WatchTime = systemTime): RevocationWatch {
  const { elapsed, pause } = time
  let version = 0
  let position = 0
  let polledAt = -Infinity
  const limit = createWaitLimit({ total: maxWaiting, perCaller: maxWaitingOfCaller })

  const noteSeen = (seen: number): void => {
    if (seen <= position) return
    position = seen
    version += 1
  }
  const poll = async (): Promise<void> => {
    // The first caller polls. The time is noted before the call, so a call that hangs does not stop the others.
    if (elapsed() < polledAt + interval) return
    polledAt = elapsed()
    const { records } = await store.list({ from: Math.max(position, 1), revokedSince: epochSeconds(0), limit: 1000 })
    // The last seen entry is missing: the database was restored or lost its last transactions, and assigns positions
    // again.
    if (records.length === 0 && position > 0) [position, version] = [0, version + 1]
    noteSeen(records.at(-1)?.position ?? 0)
  }
  return {
    elapsed,
    version: () => version,
    position: () => position,
    noteSeen,
    poll,
    async waitForChange(known, until, name) {
      if (!limit.acquire(name)) return false
      const isDone = (): boolean => version !== known || elapsed() >= until
      try {
        while (!isDone()) {
          await poll()
          if (!isDone()) await pause(Math.min(interval, until - elapsed()))
        }
        return version !== known
      } finally {
        limit.release(name)
      }
    },
  }
}

/** The time of a watch, in milliseconds. */
interface WatchTime {
  readonly elapsed: () => number
  readonly pause: (milliseconds: number) => Promise<void>
}

const systemTime: WatchTime = {
  elapsed,
  async pause(milliseconds) {
    const time = Math.max(0, Math.ceil(milliseconds))
    await new Promise((resolve) => AbortSignal.timeout(time).addEventListener('abort', resolve))
  },
}

/** In milliseconds. */
const interval = 100

const maxWaiting = 1000

const maxWaitingOfCaller = 50
