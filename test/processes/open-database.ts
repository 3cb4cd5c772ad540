import type { SqlDialect } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { Pool } from 'pg'

import type { DatabaseAddress } from './server-config.ts'

/** Opens the database that the process's argument names. */
export function openDatabase(address: DatabaseAddress): SqlDialect {
  // NORMAL: a killed process loses nothing that it has answered; only a power failure would.
  if (address.engine === 'sqlite') return openSqliteDialect(address.file, { synchronous: 'normal' })
  return toPostgresDialect(new Pool({ connectionString: address.url, max: 8 }))
}
