#!/usr/bin/env node
import { isBuiltin } from 'node:module'

// An import of `node:sqlite` would end an older Node with a stack trace, so this check runs before the import.
if (isBuiltin('node:sqlite')) {
  const { runMigrateCommand } = await import('./command/run-command.ts')
  process.exitCode = await runMigrateCommand(process.argv.slice(2))
} else {
  console.error(
    `mintmark-migrate needs node:sqlite, which Node has since 22.13: this is Node ${process.versions.node}.`,
  )
  process.exitCode = 1
}
