#!/usr/bin/env node
import { isBuiltin } from 'node:module'

// Looked at before anything is loaded that imports `node:sqlite`: without it Node ends with a stack.
if (isBuiltin('node:sqlite')) {
  const { runMigrateCommand } = await import('./command/run.ts')
  process.exitCode = await runMigrateCommand(process.argv.slice(2))
} else {
  console.error(
    `mintmark-migrate needs node:sqlite, which Node has since 22.13: this is Node ${process.versions.node}.`,
  )
  process.exitCode = 1
}
