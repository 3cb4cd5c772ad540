import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { Site, TargetSettings } from './site.ts'
import type { TargetReport } from './targets/serve-target.ts'

/** A measured server in a separate process. */
export interface TargetProcess {
  readonly site: Site
  /** Returns the CPU time of the process so far in microseconds: user and system time of all threads. */
  cpuTime(): Promise<number>
  /** Returns the resident memory of the process. */
  residentMegabytes(): Promise<number>
  /** Stops the process, and waits until it has ended. */
  stop(): Promise<void>
}

/**
 * Starts a target from its source, and waits until it is ready.
 * @param program the path below `targets/`.
 * @param profileFolder the folder to which a CPU profile of the main thread is written when the target stops.
 */
export async function startTarget(
  program: string,
  { settings, profileFolder, interrupted }: StartOptions & { readonly profileFolder: string | undefined },
): Promise<TargetProcess> {
  const profiling = profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`]
  return startProgram(fileURLToPath(import.meta.resolve(`./targets/${program}`)), {
    settings,
    interrupted,
    execArgv: [...process.execArgv, ...profiling],
  })
}

interface StartOptions {
  readonly settings: TargetSettings
  /** Kills the process. */
  readonly interrupted?: AbortSignal | undefined
}

/** Starts a target from a file, and waits until it is ready. */
export async function startProgram(
  file: string,
  { settings, execArgv, interrupted }: StartOptions & { readonly execArgv: readonly string[] },
): Promise<TargetProcess> {
  interrupted?.throwIfAborted()
  // The target cannot remove its folder itself, because it may be killed.
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-bench-'))
  const child = fork(file, [JSON.stringify({ ...settings, sqlitePath: join(folder, 'bench.db') })], {
    execArgv: [...execArgv],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  child.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  interrupted?.addEventListener('abort', () => child.kill('SIGKILL'))
  const { site } = await nextReport(child, 'ready')
  const requestUsage = async (): Promise<Extract<TargetReport, { kind: 'used' }>> => {
    if (!child.connected) throw new Error('A target has ended.')
    const answer = nextReport(child, 'used')
    child.send('used')
    return answer
  }

  return {
    site,
    cpuTime: async () => (await requestUsage()).cpuMicroseconds,
    residentMegabytes: async () => (await requestUsage()).residentBytes / 1_000_000,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      if (child.connected) child.disconnect()
      await ended
    },
  }
}

function nextReport<Kind extends TargetReport['kind']>(
  child: ChildProcess,
  kind: Kind,
): Promise<Extract<TargetReport, { kind: Kind }>> {
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
