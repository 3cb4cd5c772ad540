/** Where flows that use one storage wait for each other: every storage call parks until its turn is picked. */
export interface Stage {
  /** What the storage awaits before each atomic step. */
  readonly pause: () => Promise<void>
  /**
   * Runs the flows to their ends. Whenever all that still run are parked, one goes on: `picks`, read round and round,
   * says which. The same picks give the same interleaving.
   */
  run<Result>(flows: readonly (() => Promise<Result>)[], picks: readonly number[]): Promise<readonly Result[]>
}

/** A stage; outside of `run` its pause does not wait. */
export function createStage(): Stage {
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
        // Digests and signatures run on other threads; a flow that waits for one is not parked yet.
        while (parked.length < running) await nextTurn()
        if (running === 0) return
        const pick = (picks[turn % picks.length] ?? 0) % parked.length
        turn += 1
        for (const goOn of parked.splice(pick, 1)) goOn()
        // The picked flow runs until it parks again or ends.
        await nextTurn()
        await takeTurns()
      }
      await takeTurns()
      return Promise.all(results)
    },
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
