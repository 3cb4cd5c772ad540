#!/usr/bin/env node
import { isBuiltin } from 'node:module'
import { fileURLToPath } from 'node:url'

// This check precedes the import of any module that imports `node:sqlite`, on which old versions of Node fail with a
// stack trace.
if (isBuiltin('node:sqlite')) {
  const { start } = await import('./start.ts')
  process.exitCode = await start(fileURLToPath(import.meta.url))
} else {
  process.stderr.write(
    `mintmark needs the module node:sqlite, which Node 22.13 and later have. This is Node ${process.versions.node}.\n`,
  )
  process.exitCode = 1
}
