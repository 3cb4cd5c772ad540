import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where a new SQLite database can lie until this process ends. */
export function databasePath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-bench-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  process.once('SIGINT', () => process.exit(130))
  return join(folder, 'bench.db')
}
