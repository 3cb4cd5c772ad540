import type { Clock } from '@mintmark/internal'
import type { DurationSeconds, EpochSeconds, OAuthStorage } from '@mintmark/storage-interface'

import type { EventListener } from './events.ts'

/** When expired rows are deleted, and how many by one call. */
export interface PurgeSettings {
  readonly every: DurationSeconds
  readonly batch: number
}

/**
 * Deletes expired rows in small batches while the server is in use, so that storage does not grow without a scheduled
 * job. A batch is deleted after an event, at most once per interval. No request waits for it. A batch that fails is
 * tried again after the next interval. Several servers may delete at the same time.
 */
export function purgeOnEvents(
  listener: EventListener,
  {
    storage,
    clock,
    settings,
  }: { readonly storage: OAuthStorage; readonly clock: Clock; readonly settings: PurgeSettings },
): EventListener {
  const { every, batch } = settings
  let lastAt: EpochSeconds | undefined
  let isRunning = false

  const purge = async (now: EpochSeconds): Promise<void> => {
    isRunning = true
    try {
      const { done } = await storage.purge.purgeExpired({ now, limit: batch })
      // If expired rows are left, the next event continues.
      lastAt = done ? now : undefined
    } catch {
      // Requests report that storage is down; nothing else depends on a purge.
    } finally {
      isRunning = false
    }
  }
  return (event) => {
    const now = clock()
    // After the clock was set back, the next interval starts anew.
    const isDue = lastAt === undefined || now < lastAt || now >= lastAt + every
    if (isDue && !isRunning) {
      lastAt = now
      void purge(now)
    }
    return listener(event)
  }
}
