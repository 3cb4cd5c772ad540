import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'

import type { Io } from '../io.ts'
import type { RaceOrder, RaceReport } from './race-order.ts'

/**
 * Has two processes present the same things to one database at the same moment.
 * @returns what both were told, or undefined when one of them did not get that far within a minute.
 */
export async function race(order: Omit<RaceOrder, 'name'>, io: Io): Promise<RaceReport | undefined> {
  const racers = ['a', 'b'].map((name) => startRacer({ ...order, name }, io))
  const limit = setTimeout(() => stop(racers), timeoutMilliseconds)
  try {
    const ready = await Promise.all(racers.map(({ lines }) => lines.next()))
    if (ready.some(({ done }) => done === true)) return undefined
    for (const { child } of racers) child.stdin.write('go\n')
    const reports = await Promise.all(racers.map(({ lines }) => lines.next()))
    if (reports.some(({ done }) => done === true)) return undefined
    return joined(reports.map(({ value }) => JSON.parse(String(value)) as RaceReport))
  } finally {
    clearTimeout(limit)
    stop(racers)
  }
}

interface Racer {
  readonly child: ChildProcessByStdio<Writable, Readable, null>
  readonly lines: AsyncIterator<string>
}

/** The order goes through its input: what a process is started with, everybody on the machine can see. */
function startRacer(order: RaceOrder, { self: [program, ...args], env, cwd }: Io): Racer {
  const child = spawn(program, [...args, 'doctor-racer'], { cwd, env: { ...env }, stdio: ['pipe', 'pipe', 'ignore'] })
  const reader = createInterface({ input: child.stdout })
  // Of one that cannot be started, or is gone, there are no more lines: that is how it is heard of.
  for (const end of ['error', 'close'] as const) child.once(end, () => reader.close())
  child.stdin.on('error', () => {})
  child.stdin.write(`${JSON.stringify(order)}\n`)
  return { child, lines: reader[Symbol.asyncIterator]() }
}

function stop(racers: readonly Racer[]): void {
  for (const { child } of racers) child.kill()
}

const joined = (reports: readonly RaceReport[]): RaceReport => ({
  consumed: reports.flatMap(({ consumed }) => consumed),
  rotated: reports.flatMap(({ rotated }) => rotated),
  claimed: reports.flatMap(({ claimed }) => claimed),
})

const timeoutMilliseconds = 60_000
