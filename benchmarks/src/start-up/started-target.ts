import type { Driver } from '../driver/driver-process.ts'
import type { WorkloadName } from '../driver/workloads.ts'
import type { SuiteTarget } from '../suites/suite.ts'
import { startProgram } from '../target-process.ts'

/** The measurements of one start of a server. */
export interface StartCost {
  /** The elapsed time and the CPU time from the start of the process to the first response. */
  readonly milliseconds: number
  readonly cpuMilliseconds: number
  /** The resident memory in MB, after the first response and after each number of requests. */
  readonly atStart: number
  readonly afterLoad: readonly number[]
}

/**
 * Starts a target and measures it.
 * @param requests the numbers of requests after which the memory is measured again.
 */
export async function startCost(
  { name, settings }: SuiteTarget,
  {
    file,
    workload,
    requests,
  }: { readonly file: string; readonly workload: WorkloadName; readonly requests: readonly number[] },
  { driver, interrupted }: { readonly driver: Driver; readonly interrupted: AbortSignal },
): Promise<StartCost> {
  const startedAt = performance.now()
  const target = await startProgram(file, { settings, execArgv: [], interrupted })
  try {
    await driver.open({ target: name, workload, site: target.site, connections: 1 })
    await driver.run(name, 1)
    const milliseconds = performance.now() - startedAt
    const cpuMilliseconds = (await target.cpuTime()) / 1000
    const atStart = await target.residentMegabytes()
    await driver.close()
    if (requests.length === 0) return { milliseconds, cpuMilliseconds, atStart, afterLoad: [] }

    await driver.open({ target: name, workload, site: target.site, connections: 32 })
    const afterLoad: number[] = []
    let answered = 0
    for (const count of requests) {
      while (answered < count) answered += await driver.run(name, 200)
      afterLoad.push(await target.residentMegabytes())
    }
    return { milliseconds, cpuMilliseconds, atStart, afterLoad }
  } finally {
    await target.stop()
    await driver.close()
  }
}
