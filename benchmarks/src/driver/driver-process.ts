import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import type { Site } from '../site.ts'
import type { DriverOrder, DriverReport } from './driver.ts'
import type { WorkloadName } from './workloads.ts'

/** Controls the load driver. */
export interface Driver {
  /** Connects to the target and prepares the workload's data. */
  open(load: {
    readonly target: string
    readonly workload: WorkloadName
    readonly site: Site
    readonly connections: number
  }): Promise<void>
  /** Keeps all connections busy for a period. Returns the number of completed flows. */
  run(target: string, milliseconds: number): Promise<number>
  close(): Promise<void>
  stop(): void
}

type Order = DriverOrder extends infer Each ? (Each extends unknown ? Omit<Each, 'number'> : never) : never

/** Starts the driver's process. An interruption stops it. Orders to a stopped driver throw. */
export function startDriver(interrupted: AbortSignal): Driver {
  const child = fork(fileURLToPath(import.meta.resolve('./driver.ts')))
  interrupted.addEventListener('abort', () => child.kill('SIGKILL'))
  let orders = 0

  const send = (order: Order): Promise<number> =>
    new Promise((resolve, reject) => {
      orders += 1
      const number = orders
      const onMessage = (report: DriverReport): void => {
        if (report.number !== number) return
        forget()
        if ('flows' in report) resolve(report.flows)
        else reject(new Error(report.failure))
      }
      const onExit = (): void => {
        forget()
        reject(new Error('The load driver has ended.'))
      }
      const forget = (): void => void child.off('message', onMessage).off('exit', onExit)
      if (!child.connected) return onExit()
      child.on('message', onMessage).on('exit', onExit)
      child.send({ ...order, number })
    })

  return {
    open: async (load) => void (await send({ kind: 'open', ...load })),
    run: async (target, milliseconds) => send({ kind: 'run', target, milliseconds }),
    close: async () => void (await send({ kind: 'close' })),
    stop: () => void child.kill(),
  }
}
