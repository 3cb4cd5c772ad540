/** A scheduler for flows over one storage: every storage call waits until its turn is picked. */
export interface Scheduler {
  /** Awaited by the storage before each atomic step. */
  readonly pause: () => Promise<void>
  /**
   * Runs all flows to completion. Whenever every unfinished flow is waiting, the next entry of `picks`, read
   * cyclically, selects the one that continues. Equal picks give equal interleavings.
   */
  run<Result>(flows: readonly (() => Promise<Result>)[], picks: readonly number[]): Promise<readonly Result[]>
}

/** Outside of `run` the scheduler hook does not wait. */
export function createScheduler(): Scheduler {
  const parked: (() => void)[] = []
  let running = 0

  return {
    pause: () => (running === 0 ? Promise.resolve() : new Promise((resolve) => parked.push(resolve))),

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
        while (parked.length < running) await nextTurn()
        if (running === 0) return
        const pick = (picks[turn % picks.length] ?? 0) % parked.length
        turn += 1
        for (const goOn of parked.splice(pick, 1)) goOn()
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
