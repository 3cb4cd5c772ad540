import { enableCompileCache } from 'node:module'
import { userInfo } from 'node:os'
import { createInterface } from 'node:readline'

import { systemClock } from '@mintmark/core/runtime'

/**
 * Carries out what this process was asked for.
 * @param program the file that started it.
 * @returns the exit code.
 */
export async function start(program: string): Promise<number> {
  // Half of the time that a command takes is compiling: what was compiled once is kept. It is on before the rest is loaded.
  enableCompileCache()
  const { run } = await import('./run.ts')
  const { stdin, stdout, stderr } = process
  return run(process.argv.slice(2), {
    out: (line) => void stdout.write(`${line}\n`),
    err: (line) => void stderr.write(`${line}\n`),
    progress: stderr.isTTY ? (line) => void stderr.write(`\r\u001B[2K${line}`) : undefined,
    env: process.env,
    cwd: process.cwd(),
    operator: operator(),
    clock: systemClock,
    fetch,
    self: [process.execPath, ...process.execArgv, program],
    lines: () => createInterface({ input: stdin })[Symbol.asyncIterator](),
  })
}

function operator(): string {
  try {
    return userInfo().username
  } catch {
    // In a container the user's number may have no name.
    return 'unknown'
  }
}
