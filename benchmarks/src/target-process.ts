import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import type { Site, TargetSettings } from './site.ts'
import type { TargetReport } from './targets/serve-target.ts'

/** A server under measurement, in a process of its own. */
export interface TargetProcess {
  readonly site: Site
  /** CPU time of the process so far, user and system, all threads, in microseconds. */
  cpuTime(): Promise<number>
  /** Waits until it has ended. */
  stop(): Promise<void>
}

/**
 * Starts a target program and waits until it can be asked.
 * @param program below `targets/`.
 * @param profileFolder where a CPU profile of its main thread is written when it stops.
 */
export async function startTarget(
  program: string,
  { settings, profileFolder }: { readonly settings: TargetSettings; readonly profileFolder: string | undefined },
): Promise<TargetProcess> {
  const profiling = profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`]
  const child = fork(fileURLToPath(import.meta.resolve(`./targets/${program}`)), [JSON.stringify(settings)], {
    execArgv: [...process.execArgv, ...profiling],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const ready = await nextReport(child, 'ready')

  return {
    site: ready.site,
    cpuTime: async () => {
      const answer = nextReport(child, 'cpu')
      child.send('cpu')
      return (await answer).microseconds
    },
    stop: async () => {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}

function nextReport<Kind extends TargetReport['kind']>(child: ChildProcess, kind: Kind): Promise<Extract<TargetReport, { kind: Kind }>> {
  return new Promise((resolve, reject) => {
    const onMessage = (report: TargetReport): void => {
      if (report.kind !== kind) return
      forget()
      resolve(report as Extract<TargetReport, { kind: Kind }>)
    }
    const onExit = (code: number | null): void => {
      forget()
      reject(new Error(`A target stopped with ${String(code)}.`))
    }
    const forget = (): void => void child.off('message', onMessage).off('exit', onExit)
    child.on('message', onMessage).on('exit', onExit)
  })
}
