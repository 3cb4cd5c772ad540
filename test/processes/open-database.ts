import type { SqlDialect } from '@mintmark/storage-sql'
import { toMariadbDialect } from '@mintmark/storage-sql/mariadb'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { createPool } from 'mysql2'
import { Pool } from 'pg'

import type { DatabaseAddress } from './server-config.ts'

/** Opens the database at this address. */
export function openDatabase(address: DatabaseAddress): SqlDialect {
  // With NORMAL, only a power failure loses a committed write; killing the process does not.
  if (address.engine === 'sqlite') return openSqliteDialect(address.file, { synchronous: 'normal' })
  if (address.engine === 'mariadb')
    return toMariadbDialect(createPool({ uri: address.url, connectionLimit: 8, connectTimeout: 3000 }))
  return toPostgresDialect(new Pool({ connectionString: address.url, max: 8 }))
}
