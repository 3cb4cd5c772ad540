/** A scheduler for concurrent flows over one storage: every storage call waits until the scheduler picks it. */
export interface Scheduler {
  /** The storage awaits this before each atomic step. */
  readonly waitForTurn: () => Promise<void>
  /**
   * Runs all flows to completion. Whenever every unfinished flow is waiting, the next entry of `picks`, read
   * cyclically, selects the one that continues. Equal picks give equal interleavings.
   */
  run<Result>(flows: readonly (() => Promise<Result>)[], picks: readonly number[]): Promise<readonly Result[]>
}

/** Creates a scheduler. Outside of `run`, storage calls do not wait. */
export function createScheduler(): Scheduler {
  const waiting: (() => void)[] = []
  let running = 0

  return {
    waitForTurn: () => (running === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),

    async run(flows, picks) {
      running = flows.length
      const results = flows.map(async (flow) => {
        try {
          return await flow()
        } finally {
          running -= 1
        }
      })

      let turn = 0
      const takeTurns = async (): Promise<void> => {
        // Digests and signatures run on other threads; a flow that awaits one is not at a storage call yet.
        while (waiting.length < running) await nextTurn()
        if (running === 0) return
        const pick = (picks[turn % picks.length] ?? 0) % waiting.length
        turn += 1
        for (const resume of waiting.splice(pick, 1)) resume()
        // The picked flow runs until its next storage call or its end.
        await nextTurn()
        await takeTurns()
      }
      await takeTurns()
      return Promise.all(results)
    },
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
