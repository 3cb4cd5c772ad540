#!/usr/bin/env node
import { isBuiltin } from 'node:module'
import { fileURLToPath } from 'node:url'

// Checked before any module imports `node:sqlite`: otherwise Node would fail with a stack trace.
if (isBuiltin('node:sqlite')) {
  const { start } = await import('./start.ts')
  process.exitCode = await start(fileURLToPath(import.meta.url))
} else {
  process.stderr.write(
    `mintmark needs node:sqlite, which Node has since 22.13: this is Node ${process.versions.node}.\n`,
  )
  process.exitCode = 1
}
