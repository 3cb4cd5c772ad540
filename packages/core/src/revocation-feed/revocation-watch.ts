import { epochSeconds, type RevocationStore } from '@mintmark/storage-interface'

import { elapsed } from '../runtime/elapsed.ts'
import { createWaitingPlaces } from './waiting-places.ts'

/** Notices that something has ended, in this process or in another one. */
export interface RevocationWatch {
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
export function watchRevocations(endings: RevocationStore): RevocationWatch {
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
