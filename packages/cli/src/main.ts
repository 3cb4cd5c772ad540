#!/usr/bin/env node
import { isBuiltin } from 'node:module'
import { fileURLToPath } from 'node:url'

// Looked at before anything is loaded that imports `node:sqlite`: without it Node ends with a stack.
if (isBuiltin('node:sqlite')) {
  const { start } = await import('./start.ts')
  process.exitCode = await start(fileURLToPath(import.meta.url))
} else {
  process.stderr.write(
    `mintmark needs node:sqlite, which Node has since 22.13: this is Node ${process.versions.node}.\n`,
  )
  process.exitCode = 1
}
