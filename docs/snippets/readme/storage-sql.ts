import { createSqlStorage } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { Pool } from 'pg'

const issuer = 'https://id.example.com'
const database = process.env['DATABASE_URL']

/** PostgreSQL if DATABASE_URL is set, otherwise an SQLite file, which is migrated when it is opened. */
export const storage = await createSqlStorage({
  issuer,
  dialect: database
    ? toPostgresDialect(new Pool({ connectionString: database }))
    : openSqliteDialect('mintmark.db', { migrate: 'on-open' }),
})
