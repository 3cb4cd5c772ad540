import { createSqlStorage } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { Pool } from 'pg'

/** Opens PostgreSQL if DATABASE_URL is set, otherwise a file, which servers without a disk of their own do not have. */
export function openStorage(issuer: string) {
  const connectionString = process.env['DATABASE_URL']
  const dialect = connectionString
    ? toPostgresDialect(new Pool({ connectionString, statement_timeout: 5000 }))
    : openSqliteDialect(process.env['DATABASE'] ?? 'mintmark.db', { migrate: 'on-open' })
  return createSqlStorage({ issuer, dialect })
}
