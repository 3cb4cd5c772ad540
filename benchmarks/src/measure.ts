import type { Driver } from './driver/driver-process.ts'
import type { WorkloadName } from './driver/workloads.ts'
import type { BenchPostgres } from './postgres.ts'
import { startTargets, type RunningTarget } from './running-targets.ts'
import type { Suite } from './suites/suite.ts'

/** How long is measured. Times are in milliseconds. */
export interface Effort {
  readonly connections: number
  /**
   * How many flows run before the measurement, and for how long at most. Node compiles a function in several steps while it
   * is called often, on other threads of the process: the more code a request runs, the later a server reaches its final
   * speed, Mintmark's SCIM server after some 30,000 requests.
   */
  readonly warmUp: { readonly flows: number; readonly milliseconds: number }
  readonly rounds: number
  /**
   * The number of short turns of every target in each round. A slow phase of the machine then affects all targets
   * equally.
   */
  readonly windows: number
  readonly window: number
}

/** The measurements of one target, round by round. */
export interface Measured {
  readonly name: string
  /**
   * The CPU microseconds per flow in each round: of the server's process, and of the database's processes if there are
   * any.
   */
  readonly cpuPerFlow: readonly FlowCost[]
  readonly flowsPerSecond: number
}

export interface FlowCost {
  readonly server: number
  readonly database: number
}

/** The processes of a measurement. */
export interface Bench {
  readonly driver: Driver
  readonly postgres: BenchPostgres
  readonly profileFolder: string | undefined
  /** Stops everything that was started. */
  readonly interrupted: AbortSignal
}

/**
 * Runs a suite: starts all its targets, and measures them in turns, with one workload after another. Reports the result
 * of each workload when it is complete.
 */
export async function measure(
  suite: Suite,
  {
    effort,
    done,
  }: { readonly effort: Effort; readonly done: (workload: WorkloadName, measured: readonly Measured[]) => void },
  bench: Bench,
): Promise<void> {
  const running = await startTargets(suite.targets, bench)
  try {
    for (const workload of suite.workloads) done(workload, await measureWorkload(workload, { running, effort }, bench))
  } finally {
    await running.stop()
  }
}

interface Measuring {
  readonly running: { readonly targets: readonly RunningTarget[] }
  readonly effort: Effort
}

async function measureWorkload(
  workload: WorkloadName,
  { running: { targets }, effort }: Measuring,
  bench: Bench,
): Promise<readonly Measured[]> {
  const { driver } = bench
  try {
    for (const { name, process } of targets) {
      await driver.open({ target: name, workload, site: process.site, connections: effort.connections })
      await warmUp(name, effort, bench)
    }
    const rounds: (readonly (readonly Window[])[])[] = []
    while (rounds.length < effort.rounds) rounds.push(await runRound(targets, effort, bench))
    return targets.map(({ name }, index) => ({
      name,
      cpuPerFlow: rounds.map((round) => costPerFlow(round[index] ?? [])),
      flowsPerSecond: flowsPerSecond(rounds.flatMap((round) => round[index] ?? [])),
    }))
  } finally {
    await driver.close()
  }
}

async function warmUp(
  name: string,
  { warmUp: { flows, milliseconds }, window }: Effort,
  { driver }: Bench,
): Promise<void> {
  const endsAt = performance.now() + milliseconds
  let left = flows
  while (left > 0 && performance.now() < endsAt) left -= await driver.run(name, window)
}

/** One short turn of one target. */
interface Window extends FlowCost {
  readonly flows: number
  readonly milliseconds: number
}

/** Runs all windows of a round. Returns the windows of each target. */
async function runRound(
  targets: readonly RunningTarget[],
  effort: Effort,
  bench: Bench,
): Promise<readonly (readonly Window[])[]> {
  const windows: Window[][] = targets.map(() => [])
  for (let turn = 0; turn < effort.windows; turn += 1) {
    for (const [index, target] of targets.entries()) windows[index]?.push(await runWindow(target, effort.window, bench))
  }
  return windows
}

async function runWindow(
  { name, process }: RunningTarget,
  milliseconds: number,
  { driver, postgres }: Bench,
): Promise<Window> {
  const before = { server: await process.cpuTime(), database: postgres.cpuTime() }
  const startedAt = performance.now()
  const flows = await driver.run(name, milliseconds)
  const elapsed = performance.now() - startedAt
  return {
    server: (await process.cpuTime()) - before.server,
    database: postgres.cpuTime() - before.database,
    flows,
    milliseconds: elapsed,
  }
}

const costPerFlow = (windows: readonly Window[]): FlowCost => ({
  server: lowerQuartile(windows.map(({ server, flows }) => server / flows)),
  database: lowerQuartile(windows.map(({ database, flows }) => database / flows)),
})

/** The quartile is more stable than the mean: other processes on the machine can only increase the cost of a flow. */
export function lowerQuartile(costs: readonly number[]): number {
  const sorted = costs.toSorted((left, right) => left - right)
  return sorted[Math.floor(sorted.length / 4)] ?? Number.NaN
}

const flowsPerSecond = (windows: readonly Window[]): number =>
  (1000 * windows.reduce((sum, { flows }) => sum + flows, 0)) /
  windows.reduce((sum, { milliseconds }) => sum + milliseconds, 0)
