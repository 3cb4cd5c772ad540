import type { Driver } from './driver/driver-process.ts'
import { workloads } from './driver/workloads.ts'
import type { Suite, SuiteTarget } from './suites.ts'
import { startTarget, type TargetProcess } from './target-process.ts'

/** How long is measured. Milliseconds. */
export interface Effort {
  readonly connections: number
  readonly warmUp: number
  readonly rounds: number
  /** Short turns of every target in each round, so that a slow phase of the machine meets them all. */
  readonly windows: number
  readonly window: number
}

/** What one target took, round by round. */
export interface Measured {
  readonly name: string
  /** CPU microseconds per flow in each round. */
  readonly cpuPerFlow: readonly number[]
  readonly flowsPerSecond: number
  readonly requestsPerFlow: number
}

interface Running extends SuiteTarget {
  readonly process: TargetProcess
}

/** Runs a suite: all its targets at once, each measured in turn. */
export async function measure(
  suite: Suite,
  effort: Effort,
  { driver, profileFolder }: { readonly driver: Driver; readonly profileFolder: string | undefined },
): Promise<readonly Measured[]> {
  const running: Running[] = []
  try {
    for (const target of suite.targets) {
      running.push({ ...target, process: await startTarget(target.program, target.settings, profileFolder) })
    }
    for (const { name, process } of running) {
      await driver.open({ target: name, workload: suite.workload, site: process.site, connections: effort.connections })
      await driver.run(name, effort.warmUp)
    }
    const rounds: (readonly Sample[])[] = []
    while (rounds.length < effort.rounds) rounds.push(await runRound(running, effort, driver))
    return running.map(({ name }, index) => ({
      name,
      cpuPerFlow: rounds.map((round) => cpuPerFlow(round[index])),
      flowsPerSecond: flowsPerSecond(rounds.flatMap((round) => round[index] ?? [])),
      requestsPerFlow: workloads[suite.workload].requests,
    }))
  } finally {
    await driver.close()
    for (const { process } of running) process.stop()
  }
}

interface Sample {
  readonly cpu: number
  readonly flows: number
  readonly milliseconds: number
}

async function runRound(running: readonly Running[], effort: Effort, driver: Driver): Promise<readonly Sample[]> {
  const samples = running.map(() => ({ cpu: 0, flows: 0, milliseconds: 0 }))
  for (let window = 0; window < effort.windows; window += 1) {
    for (const [index, { name, process }] of running.entries()) {
      const before = await process.cpuTime()
      const startedAt = performance.now()
      const flows = await driver.run(name, effort.window)
      const milliseconds = performance.now() - startedAt
      const { cpu, flows: sofar, milliseconds: elapsed } = samples[index] ?? { cpu: 0, flows: 0, milliseconds: 0 }
      samples[index] = { cpu: cpu + (await process.cpuTime()) - before, flows: sofar + flows, milliseconds: elapsed + milliseconds }
    }
  }
  return samples
}

const cpuPerFlow = (sample: Sample | undefined): number => (sample === undefined ? Number.NaN : sample.cpu / sample.flows)

const flowsPerSecond = (samples: readonly Sample[]): number =>
  (1000 * samples.reduce((sum, { flows }) => sum + flows, 0)) / samples.reduce((sum, { milliseconds }) => sum + milliseconds, 0)
