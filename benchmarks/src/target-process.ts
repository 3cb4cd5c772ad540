import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { Site, TargetSettings } from './site.ts'
import type { TargetReport } from './targets/serve-target.ts'

/** A server under measurement in a process of its own. */
export interface TargetProcess {
  readonly site: Site
  /** CPU time of the process so far, user and system, all threads, in microseconds. */
  cpuTime(): Promise<number>
  /** Its resident memory. */
  residentMegabytes(): Promise<number>
  /** Waits until it has ended. */
  stop(): Promise<void>
}

/**
 * Starts a target from its source and waits until it answers.
 * @param program below `targets/`.
 * @param profileFolder where a CPU profile of its main thread is written when it stops.
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
  /** Stops it at once. */
  readonly interrupted?: AbortSignal | undefined
}

/** The same from a file. */
export async function startProgram(
  file: string,
  { settings, execArgv, interrupted }: StartOptions & { readonly execArgv: readonly string[] },
): Promise<TargetProcess> {
  interrupted?.throwIfAborted()
  // The target cannot do this itself: it may be killed.
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-bench-'))
  const child = fork(file, [JSON.stringify({ ...settings, sqlitePath: join(folder, 'bench.db') })], {
    execArgv: [...execArgv],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  child.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  interrupted?.addEventListener('abort', () => child.kill('SIGKILL'))
  const { site } = await nextReport(child, 'ready')
  const used = async (): Promise<Extract<TargetReport, { kind: 'used' }>> => {
    if (!child.connected) throw new Error('A target has ended.')
    const answer = nextReport(child, 'used')
    child.send('used')
    return answer
  }

  return {
    site,
    cpuTime: async () => (await used()).cpuMicroseconds,
    residentMegabytes: async () => (await used()).residentBytes / 1_000_000,
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
