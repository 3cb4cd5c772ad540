import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folders: string[] = []
process.once('exit', () => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))
process.once('SIGINT', () => process.exit(130))

/** Returns a path for a new SQLite database, which is removed when this process ends. */
export function databasePath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-bench-'))
  folders.push(folder)
  return join(folder, 'bench.db')
}
