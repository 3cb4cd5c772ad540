import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

interface Announcement {
  /** The name of the server, for messages. */
  readonly server: string
  /** The stream to which it writes its log. */
  readonly log: Readable | null
  /** A part of the line that it writes when it is ready. */
  readonly ready: string
  /** Ends it, with its children, when the test process ends early. */
  readonly signal?: NodeJS.Signals
  /** What to do if it cannot be started. */
  readonly advice?: string
}

/**
 * Waits until a server that was just spawned is ready. It does not outlive this process.
 * @throws Error with its log if it does not start, so that a test that needs it fails.
 */
export async function untilReady(child: ChildProcess, announcement: Announcement): Promise<void> {
  const { server, log, ready, signal = 'SIGKILL', advice = '' } = announcement
  running.set(child, signal)
  child.once('exit', () => running.delete(child))
  const lines: string[] = []
  await new Promise<void>((resolve, reject) => {
    child.once('error', (error) => reject(new Error(`${server} could not be started.${advice}`, { cause: error })))
    child.once('exit', (code) => reject(new Error(`${server} ended with ${code}:\n${lines.join('\n')}`)))
    if (log === null) return
    createInterface(log).on('line', (line) => {
      lines.push(line)
      if (line.includes(ready)) resolve()
    })
  })
}

/** Ends a server, by default without an orderly shutdown, and waits until it has ended. */
export async function endServer(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.ref()
  child.kill(signal)
  await exited
}

/** The servers to end when a test run ends early. */
const running = new Map<ChildProcess, NodeJS.Signals>()
process.once('exit', () => running.forEach((signal, child) => child.kill(signal)))
