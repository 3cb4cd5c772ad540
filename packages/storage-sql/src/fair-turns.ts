/**
 * Runs work when its turn comes.
 * @throws the reason of the signal if it is aborted before the turn comes; the error of `timeout` if it does not come
 * in time.
 */
export type FairTurns = <T>(request: TurnRequest, work: () => Promise<T>) => Promise<T>

interface TurnRequest {
  /** The owner of the work. */
  readonly owner: string
  readonly signal?: AbortSignal | undefined
}

interface FairTurnsOptions {
  /** How many pieces of work run at the same time. */
  readonly atOnce: number
  /** How long work waits for its turn, and the error that it fails with after that. By default it waits without a limit. */
  readonly timeout?: { readonly milliseconds: number; readonly error: () => Error }
}

/**
 * Returns a function that runs a limited amount of work at a time. The owners take turns: an owner waits for at most one
 * piece of work of each other owner, however much work the others have.
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
      // Moves the owner to the end: its next work waits for one piece of work of each other owner.
      if (starts.size > 0) waiting.set(owner, starts)
      running += 1
      start()
    }
  }

  function waitForTurn({ owner, signal }: TurnRequest): Promise<void> {
    return new Promise((resolve, reject) => {
      const starts = waiting.get(owner) ?? new Set()
      waiting.set(owner, starts)
      const stopListening = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', leave)
      }
      const start = (): void => {
        stopListening()
        resolve()
      }
      const giveUp = (error: Error): void => {
        stopListening()
        starts.delete(start)
        if (starts.size === 0 && waiting.get(owner) === starts) waiting.delete(owner)
        reject(error)
      }
      // The reason is an error unless the code that aborted the signal passed something else.
      const leave = (): void => giveUp(signal?.reason as Error)
      const timer = timeout && setTimeout(() => giveUp(timeout.error()), timeout.milliseconds)
      signal?.addEventListener('abort', leave, { once: true })
      starts.add(start)
      startNext()
    })
  }

  return async (request, work) => {
    request.signal?.throwIfAborted()
    await waitForTurn(request)
    try {
      return await work()
    } finally {
      running -= 1
      startNext()
    }
  }
}
