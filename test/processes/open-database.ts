import type { SqlDialect } from '@mintmark/storage-sql'
import { postgresPool } from '@mintmark/storage-sql/postgres'
import { sqliteFile } from '@mintmark/storage-sql/sqlite'
import { Pool } from 'pg'

import type { DatabaseAddress } from './server-config.ts'

/** Opens the database that a process was told of. */
export function openDatabase(address: DatabaseAddress): SqlDialect {
  // NORMAL: what a killed process has answered is kept; only a power cut would lose it.
  if (address.engine === 'sqlite') return sqliteFile(address.file, { synchronous: 'normal' })
  return postgresPool(new Pool({ connectionString: address.url, max: 8 }))
}
