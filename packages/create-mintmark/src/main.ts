#!/usr/bin/env node
import { run } from './run.ts'

const { env, stdout, stderr } = process
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort())

process.exitCode = await run(process.argv.slice(2), {
  out: (line) => void stdout.write(`${line}\n`),
  err: (line) => void stderr.write(`${line}\n`),
  env,
  cwd: process.cwd(),
  nodeVersion: process.versions.node,
  signal: stop.signal,
})
