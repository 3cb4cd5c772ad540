/** Runs work when its turn comes. @throws the reason of the signal, when it is aborted first; the error of the time limit. */
export type FairTurns = <T>(asker: Asker, work: () => Promise<T>) => Promise<T>

interface Asker {
  /** Whose work it is. */
  readonly owner: string
  readonly signal?: AbortSignal | undefined
}

interface FairTurnsOptions {
  /** How much work runs at the same time. */
  readonly atOnce: number
  /** How long work waits for its turn, and the error that it fails with after that. Without it, it waits as long as it takes. */
  readonly timeout?: { readonly milliseconds: number; readonly error: () => Error }
}

/**
 * Runs a limited amount of work at a time. The owners take turns, so that an owner waits for one piece of work of each other
 * owner at most, however much the others ask for.
 */
export function createFairTurns({ atOnce, timeout }: FairTurnsOptions): FairTurns {
  /** The waiting work of each owner. The owner whose turn is next comes first. */
  const waiting = new Map<string, Set<() => void>>()
  let running = 0

  function startNext(): void {
    for (const [owner, starts] of waiting) {
      if (running >= atOnce) return
      const [start] = starts
      waiting.delete(owner)
      if (start === undefined) continue
      starts.delete(start)
      // The owner's next work is behind the work of all others.
      if (starts.size > 0) waiting.set(owner, starts)
      running += 1
      start()
    }
  }

  function turnOf({ owner, signal }: Asker): Promise<void> {
    return new Promise((resolve, reject) => {
      const starts = waiting.get(owner) ?? new Set()
      waiting.set(owner, starts)
      const forget = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', leave)
      }
      const start = (): void => {
        forget()
        resolve()
      }
      const giveUp = (error: Error): void => {
        forget()
        starts.delete(start)
        if (starts.size === 0 && waiting.get(owner) === starts) waiting.delete(owner)
        reject(error)
      }
      // The reason is an error unless the owner of the signal chose something else.
      const leave = (): void => giveUp(signal?.reason as Error)
      const timer = timeout && setTimeout(() => giveUp(timeout.error()), timeout.milliseconds)
      signal?.addEventListener('abort', leave, { once: true })
      starts.add(start)
      startNext()
    })
  }

  return async (asker, work) => {
    asker.signal?.throwIfAborted()
    await turnOf(asker)
    try {
      return await work()
    } finally {
      running -= 1
      startNext()
    }
  }
}
