import { spawn, type ChildProcess } from 'node:child_process'

import { send } from './send.ts'

interface Program {
  readonly command: readonly [program: string, ...args: string[]]
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** The port of 127.0.0.1 on which the program will listen. */
  readonly port: number
  /** The path that responds with 200 when the program is ready. */
  readonly readyPath?: string
}

/** A running program that serves HTTP. */
export interface RunningProgram {
  /** Returns the output so far, both stdout and stderr. */
  output(): string
  stop(): void
}

/**
 * Starts a program and waits until it responds to `/jwks`, or to another path.
 * @throws Error with the program's output when it ends, or does not respond within a minute.
 */
export async function startProgram(options: Program): Promise<RunningProgram> {
  const { command, cwd, env, port, readyPath = '/jwks' } = options
  const [program, ...args] = command
  // Starts a new process group, because some programs are scripts that start the real program; `stop` ends both.
  const child = spawn(program, args, { cwd, detached: true, env: { ...process.env, NO_COLOR: '1', ...env } })
  const chunks: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk.toString()))
  const running: RunningProgram = {
    output: () => chunks.join(''),
    stop: () =>
      void (
        child.pid !== undefined &&
        child.exitCode === null &&
        child.signalCode === null &&
        process.kill(-child.pid, 'SIGKILL')
      ),
  }

  if (await isUp(child, { port, path: readyPath })) return running
  running.stop()
  throw new Error(`${program} ${args.join(' ')} did not respond on port ${port}: ${running.output()}`)
}

async function isUp(
  child: ChildProcess,
  { port, path }: { readonly port: number; readonly path: string },
): Promise<boolean> {
  for (let attempt = 0; attempt < 1200 && child.exitCode === null && child.signalCode === null; attempt += 1) {
    const answers = await send(port, { path }).then(
      ({ status }) => status === 200,
      () => false,
    )
    if (answers) return true
    await new Promise((wake) => setTimeout(wake, 50))
  }
  return false
}
