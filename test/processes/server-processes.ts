import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

import type { DatabaseAddress, ServerConfig } from './server-config.ts'

/** A server in a separate process. */
export interface ServerProcess {
  readonly port: number
  readonly pid: number
  /** Resolves when the process has ended, with the signal that ended it. */
  readonly ended: Promise<string | null>
  /** Kills the process with SIGKILL, and waits until it has ended. */
  kill(): Promise<void>
}

/** What a server may be told beside its database. */
export interface ServerProcessOptions extends Partial<Omit<ServerConfig, 'database'>> {
  /** Further environment variables. */
  readonly environment?: Readonly<Record<string, string>>
}

/** Starts a server and waits until it listens. */
export async function startServerProcess(
  database: DatabaseAddress,
  { crash, rotation = 'always', environment, ...more }: ServerProcessOptions = {},
): Promise<ServerProcess> {
  const config: ServerConfig = { database, crash, rotation, ...more }
  const script = fileURLToPath(new URL('server-process.ts', import.meta.url))
  const child = spawn(process.execPath, ['--conditions=@mintmark/source', script, JSON.stringify(config)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // Dozens of processes start from the same sources: compiling them once halves the start-up time.
    env: {
      ...process.env,
      ...environment,
      NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url)),
    },
  })
  const ended = once(child, 'exit').then(([, signal]) => signal as string | null)
  const { value: line } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()
  if (line === undefined) throw new Error('The server process ended before it listened.')

  return {
    port: Number(line),
    pid: child.pid ?? 0,
    ended,
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Starts several servers over one database. */
export const startServerProcesses = (
  database: DatabaseAddress,
  count: number,
  options: Partial<Pick<ServerConfig, 'rotation' | 'maxConcurrentRequests' | 'partnerKeys'>> = {},
): Promise<readonly ServerProcess[]> =>
  Promise.all(Array.from({ length: count }, () => startServerProcess(database, options)))
