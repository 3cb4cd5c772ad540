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
    const rounds: (readonly (readonly Window[])[])[] = []
    while (rounds.length < effort.rounds) rounds.push(await runRound(running, effort, driver))
    return running.map(({ name }, index) => ({
      name,
      cpuPerFlow: rounds.map((round) => cpuPerFlow(round[index] ?? [])),
      flowsPerSecond: flowsPerSecond(rounds.flatMap((round) => round[index] ?? [])),
      requestsPerFlow: workloads[suite.workload].requests,
    }))
  } finally {
    await driver.close()
    for (const { process } of running) process.stop()
  }
}

/** One short turn of one target. */
interface Window {
  readonly cpu: number
  readonly flows: number
  readonly milliseconds: number
}

/** @returns for each target its windows. */
async function runRound(running: readonly Running[], effort: Effort, driver: Driver): Promise<readonly (readonly Window[])[]> {
  const windows: Window[][] = running.map(() => [])
  for (let turn = 0; turn < effort.windows; turn += 1) {
    for (const [index, target] of running.entries()) windows[index]?.push(await runWindow(target, effort.window, driver))
  }
  return windows
}

async function runWindow({ name, process }: Running, milliseconds: number, driver: Driver): Promise<Window> {
  const before = await process.cpuTime()
  const startedAt = performance.now()
  const flows = await driver.run(name, milliseconds)
  const elapsed = performance.now() - startedAt
  return { cpu: (await process.cpuTime()) - before, flows, milliseconds: elapsed }
}

/** The lower quartile of a round's windows: whoever else uses the machine can only add to what a flow costs. */
function cpuPerFlow(windows: readonly Window[]): number {
  const costs = windows.map(({ cpu, flows }) => cpu / flows).toSorted((left, right) => left - right)
  return costs[Math.floor(costs.length / 4)] ?? Number.NaN
}

const flowsPerSecond = (windows: readonly Window[]): number =>
  (1000 * windows.reduce((sum, { flows }) => sum + flows, 0)) / windows.reduce((sum, { milliseconds }) => sum + milliseconds, 0)
