#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { userInfo } from 'node:os'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

import { systemClock } from '@mintmark/core/runtime'

// Half of the time that a command takes is compiling: what was compiled once is kept. It is on before the rest is loaded.
enableCompileCache()
const { run } = await import('./run.ts')
const { stdin, stdout, stderr } = process

process.exitCode = await run(process.argv.slice(2), {
  out: (line) => void stdout.write(`${line}\n`),
  err: (line) => void stderr.write(`${line}\n`),
  progress: stderr.isTTY ? (line) => void stderr.write(`\r\u001B[2K${line}`) : undefined,
  env: process.env,
  cwd: process.cwd(),
  operator: operator(),
  clock: systemClock,
  fetch,
  self: [process.execPath, ...process.execArgv, fileURLToPath(import.meta.url)],
  lines: () => createInterface({ input: stdin })[Symbol.asyncIterator](),
})

function operator(): string {
  try {
    return userInfo().username
  } catch {
    // In a container the user's number may have no name.
    return 'unknown'
  }
}
