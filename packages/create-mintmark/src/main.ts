#!/usr/bin/env node
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline/promises'

import { run } from './run.ts'

const { env, stdin, stdout, stderr } = process
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort())

process.exitCode = await run(process.argv.slice(2), {
  out: (line) => void stdout.write(`${line}\n`),
  err: (line) => void stderr.write(`${line}\n`),
  ask: stdin.isTTY && stdout.isTTY && !env['CI'] ? ask : undefined,
  runProgram,
  env,
  cwd: process.cwd(),
  nodeVersion: process.versions.node,
  signal: stop.signal,
})

/** @throws Error when the signal is aborted, or the input ends. */
async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: stdin, output: stdout })
  // readline receives Ctrl-C while it asks, and Ctrl-D closes it.
  terminal.once('SIGINT', () => stop.abort()).once('close', () => stop.abort())
  try {
    return await terminal.question(question, { signal: stop.signal })
  } finally {
    terminal.removeAllListeners('close').close()
  }
}

function runProgram([program = '', ...args]: readonly string[], folder: string): Promise<boolean> {
  return new Promise((resolve) => {
    // npm is a script on Windows, which only a shell runs. No argument comes from the user.
    const child = spawn(program, args, { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' })
    child.once('error', () => resolve(false)).once('exit', (code) => resolve(code === 0))
  })
}
