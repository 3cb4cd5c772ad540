import { createSqlStorage } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { Pool } from 'pg'

const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 10 })
export const storage = await createSqlStorage({
  issuer: 'https://login.example',
  dialect: toPostgresDialect(pool),
  waitForDatabaseSeconds: 300,
})
