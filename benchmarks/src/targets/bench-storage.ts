import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Storage } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { createSqlStorage } from '@mintmark/storage-sql'
import { sqliteFile } from '@mintmark/storage-sql/sqlite'

import type { TargetSettings } from '../site.ts'

/** Mintmark's storage on the medium that the benchmark asked for. */
export async function benchStorage(medium: TargetSettings['storage'], issuer: string): Promise<Storage> {
  if (medium === 'memory') return createMemoryStorage({ issuer })
  return createSqlStorage({ dialect: sqliteFile(databasePath(), { migrate: 'on-open', synchronous: 'normal' }), issuer })
}

/** Where a new SQLite database can lie until this process ends. */
export function databasePath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-bench-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'bench.db')
}
