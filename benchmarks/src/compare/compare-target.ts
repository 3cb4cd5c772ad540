import { join } from 'node:path'

import type { Driver } from '../driver/driver-process.ts'
import type { WorkloadName } from '../driver/workloads.ts'
import { lowerQuartile } from '../measure.ts'
import type { SuiteTarget } from '../suites/suite.ts'
import { startProgram, type TargetProcess } from '../target-process.ts'
import type { CompareEffort } from './compare-options.ts'
import type { Comparison, Round } from './comparison.ts'
import { targetsFolder } from './earlier-tree.ts'

/** A server that both trees start, and its workloads. */
export interface ComparedTarget {
  /** The storage, for the report. */
  readonly storage: string
  readonly target: SuiteTarget
  readonly workloads: readonly WorkloadName[]
}

interface Comparing {
  readonly effort: CompareEffort
  /** The roots of the two trees. */
  readonly trees: { readonly before: string; readonly after: string }
  readonly driver: Driver
  readonly interrupted: AbortSignal
  /** Called with each complete comparison. */
  readonly done: (comparison: Comparison) => void
}

/** The title of a workload in the report. */
export const titleOf = (workload: WorkloadName, { storage }: ComparedTarget): string => `${workload}, ${storage}`

/** Starts a target from both trees, and measures its workloads one after the other. */
export async function compareTarget(
  compared: ComparedTarget,
  { effort, trees, driver, interrupted, done }: Comparing,
): Promise<void> {
  const { target, workloads } = compared
  const running: TargetProcess[] = []
  try {
    for (const tree of [trees.before, trees.after]) {
      running.push(
        await startProgram(join(tree, targetsFolder, target.program), {
          settings: target.settings,
          execArgv: process.execArgv,
          interrupted,
        }),
      )
    }
    const [before, after] = running
    if (before === undefined || after === undefined) return
    for (const workload of workloads) {
      const rounds = await measureRounds(workload, { before, after, effort, driver })
      done({ title: titleOf(workload, compared), rounds })
    }
  } finally {
    await Promise.all(running.map(async (process) => process.stop()))
  }
}

interface Measuring {
  readonly before: TargetProcess
  readonly after: TargetProcess
  readonly effort: CompareEffort
  readonly driver: Driver
}

async function measureRounds(
  workload: WorkloadName,
  { before, after, effort, driver }: Measuring,
): Promise<readonly Round[]> {
  const { connections, warmUp, window } = effort
  try {
    for (const [name, { site }] of Object.entries({ before, after })) {
      await driver.open({ target: name, workload, site, connections })
      await driver.run(name, warmUp)
    }
    const runBefore = async (): Promise<number> => costOf(before, async () => driver.run('before', window))
    const runAfter = async (): Promise<number> => costOf(after, async () => driver.run('after', window))
    const rounds: Round[] = []
    while (rounds.length < effort.rounds) {
      const costs = { before: [] as number[], after: [] as number[] }
      for (let sequence = 0; sequence < effort.sequences; sequence += 1) {
        // In this order a steady change of the machine's speed affects both equally.
        costs.before.push(await runBefore())
        costs.after.push(await runAfter(), await runAfter())
        costs.before.push(await runBefore())
      }
      rounds.push({ before: lowerQuartile(costs.before), after: lowerQuartile(costs.after) })
    }
    return rounds
  } finally {
    await driver.close()
  }
}

/** Returns the CPU microseconds per flow in one window. */
async function costOf(target: TargetProcess, load: () => Promise<number>): Promise<number> {
  const startedAt = await target.cpuTime()
  const flows = await load()
  return ((await target.cpuTime()) - startedAt) / flows
}
