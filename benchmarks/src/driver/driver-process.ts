import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import type { Site } from '../site.ts'
import type { DriverOrder, DriverReport } from './driver.ts'
import type { WorkloadName } from './workloads.ts'

/** The load driver, seen from the benchmark. */
export interface Driver {
  /** Connects to the target and obtains what the workload needs. */
  open(load: { readonly target: string; readonly workload: WorkloadName; readonly site: Site; readonly connections: number }): Promise<void>
  /** Keeps all connections busy for a while. @returns how many flows were finished. */
  run(target: string, milliseconds: number): Promise<number>
  close(): Promise<void>
  stop(): void
}

type Order = DriverOrder extends infer Each ? (Each extends unknown ? Omit<Each, 'number'> : never) : never

/** Starts the driver's process. */
export function startDriver(): Driver {
  const child = fork(fileURLToPath(import.meta.resolve('./driver.ts')))
  let orders = 0

  const ask = (order: Order): Promise<number> =>
    new Promise((resolve, reject) => {
      orders += 1
      const number = orders
      const listener = (report: DriverReport): void => {
        if (report.number !== number) return
        child.off('message', listener)
        if ('flows' in report) resolve(report.flows)
        else reject(new Error(report.failure))
      }
      child.on('message', listener)
      child.send({ ...order, number })
    })

  return {
    open: async (load) => void (await ask({ kind: 'open', ...load })),
    run: async (target, milliseconds) => ask({ kind: 'run', target, milliseconds }),
    close: async () => void (await ask({ kind: 'close' })),
    stop: () => void child.kill(),
  }
}
