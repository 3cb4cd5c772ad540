import type { SqlDialect } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { Pool } from 'pg'

import type { DatabaseAddress } from './server-config.ts'

/** Opens the database that a process was told of. */
export function openDatabase(address: DatabaseAddress): SqlDialect {
  // NORMAL: what a killed process has answered is kept; only a power cut would lose it.
  if (address.engine === 'sqlite') return openSqliteDialect(address.file, { synchronous: 'normal' })
  return toPostgresDialect(new Pool({ connectionString: address.url, max: 8 }))
}
