import { enableCompileCache } from 'node:module'
import { userInfo } from 'node:os'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'

import { systemClock } from '@mintmark/internal'

/**
 * Runs the command in the arguments of this process, and returns the exit code.
 * @param program the file that was started.
 */
export async function start(program: string): Promise<number> {
  // Compilation takes half of the run time of a command. The cache must be enabled before other modules are loaded.
  enableCompileCache()
  const { run } = await import('./run.ts')
  const { stdin, stdout, stderr } = process
  return run(process.argv.slice(2), {
    out: (line) => void stdout.write(`${line}\n`),
    err: (line) => void stderr.write(`${line}\n`),
    progress: stderr.isTTY ? (line) => void stderr.write(`\r\u001B[2K${line}`) : undefined,
    terminal: stderr.isTTY ? stderr : undefined,
    env: process.env,
    cwd: process.cwd(),
    operator: operator(),
    clock: systemClock,
    sleep: (seconds) => setTimeout(seconds * 1000),
    fetch,
    self: [process.execPath, ...process.execArgv, program],
    input: () => stdin,
    lines: () => createInterface({ input: stdin })[Symbol.asyncIterator](),
  })
}

function operator(): string {
  try {
    return userInfo().username
  } catch {
    // In a container the user ID may have no name.
    return 'unknown'
  }
}
