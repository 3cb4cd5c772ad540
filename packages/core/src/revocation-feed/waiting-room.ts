import type { DurationSeconds } from '@mintmark/storage-interface'

/** Where requests wait until there is something to say. */
export interface WaitingRoom {
  /** Resolves when `wakeAll` is called, when the time is over, or at once when too many wait already. */
  wait(atMost: DurationSeconds): Promise<void>
  wakeAll(): void
}

export function createWaitingRoom(): WaitingRoom {
  const waiting = new Set<() => void>()

  return {
    async wait(atMost) {
      if (atMost <= 0 || waiting.size >= maxWaiting) return
      await new Promise<void>((resolve) => {
        const timeout = AbortSignal.timeout(atMost * 1000)
        const wake = (): void => {
          waiting.delete(wake)
          timeout.removeEventListener('abort', wake)
          resolve()
        }
        waiting.add(wake)
        timeout.addEventListener('abort', wake)
      })
    },
    wakeAll() {
      for (const wake of waiting) wake()
    },
  }
}

const maxWaiting = 1000
