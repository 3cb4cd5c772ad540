/** An operation to measure. */
interface Operation {
  /** Prepares `count` runs. The preparation is not measured. */
  readonly prepare?: (count: number) => Promise<void>
  readonly run: () => Promise<unknown>
}

const batch = 300

/**
 * Returns the CPU time of each operation in microseconds: the lower quartile of 24 batches. The operations take turns.
 */
export async function costsOf(operations: readonly Operation[]): Promise<readonly number[]> {
  const costs = operations.map((): number[] => [])
  for (let round = 0; round < 30; round += 1) {
    for (const [index, { prepare, run }] of operations.entries()) {
      await prepare?.(batch)
      const before = process.cpuUsage()
      for (let turn = 0; turn < batch; turn += 1) await run()
      const { user, system } = process.cpuUsage(before)
      // The first rounds warm up.
      if (round >= 6) costs[index]?.push((user + system) / batch)
    }
  }
  return costs.map((measured) => measured.toSorted((left, right) => left - right)[6] ?? Number.NaN)
}
