import { spawn } from 'node:child_process'

import { send } from './reply.ts'

interface Program {
  readonly command: readonly [program: string, ...args: string[]]
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** The port of 127.0.0.1 on which it will answer. */
  readonly port: number
}

/** A program that answers HTTP. */
export interface RunningProgram {
  /** Its output so far, both stdout and stderr. */
  said(): string
  stop(): void
}

/**
 * Starts a program and waits until it answers `/jwks`.
 * @throws Error with its output when it does not answer within ten seconds.
 */
export async function startProgram({ command: [program, ...args], cwd, env, port }: Program): Promise<RunningProgram> {
  // A process group of its own: some programs are scripts that start the real one.
  const child = spawn(program, args, { cwd, detached: true, env: { ...process.env, NO_COLOR: '1', ...env } })
  const written: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => written.push(chunk.toString()))
  const running: RunningProgram = {
    said: () => written.join(''),
    stop: () =>
      void (
        child.pid !== undefined &&
        child.exitCode === null &&
        child.signalCode === null &&
        process.kill(-child.pid, 'SIGKILL')
      ),
  }

  if (await isUp(port)) return running
  running.stop()
  throw new Error(`${program} ${args.join(' ')} did not come up: ${running.said()}`)
}

async function isUp(port: number): Promise<boolean> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const answers = await send(port, { path: '/jwks' }).then(
      ({ status }) => status === 200,
      () => false,
    )
    if (answers) return true
    await new Promise((wake) => setTimeout(wake, 50))
  }
  return false
}
