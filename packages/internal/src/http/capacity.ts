/**
 * Bounds the requests that a service works on at the same time. Beyond what a process can serve, each further request
 * only makes all of them slower, until their clients have given up and repeat them.
 */
export interface Capacity {
  /** Throws the refusal while the maximum is being worked on. */
  check(): void
  /**
   * Counts a request that is about to be worked on. Throws the refusal instead while the maximum is being worked on. The
   * caller calls `leave` when the work has ended, even if it has failed.
   */
  enter(): void
  leave(): void
  /**
   * Waits for another server while working on a request. Meanwhile, the request is not counted: whoever names a server
   * that does not answer would otherwise occupy the places of others. Throws the refusal while too many requests wait for
   * the same key.
   * @param key what the request waits for. The number of different keys must be limited elsewhere.
   */
  outside<Result>(key: string, wait: () => Promise<Result>): Promise<Result>
}

/** @param refuse creates the error that is thrown. */
export function createCapacity({
  maximum,
  refuse,
}: {
  readonly maximum: number
  readonly refuse: () => Error
}): Capacity {
  let inProgress = 0
  const waiting = new Map<string, number>()
  const check = (): void => {
    if (inProgress >= maximum) throw refuse()
  }

  return {
    check,
    enter() {
      check()
      inProgress += 1
    },
    leave() {
      inProgress -= 1
    },
    async outside(key, wait) {
      const waitingForKey = waiting.get(key) ?? 0
      if (waitingForKey >= maximum) throw refuse()
      inProgress -= 1
      waiting.set(key, waitingForKey + 1)
      try {
        return await wait()
      } finally {
        inProgress += 1
        const left = (waiting.get(key) ?? 1) - 1
        if (left === 0) waiting.delete(key)
        else waiting.set(key, left)
      }
    },
  }
}
