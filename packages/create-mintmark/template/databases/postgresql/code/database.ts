import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { Pool } from 'pg'

import type { Database, Row } from '#query'

/** Opens the database that MINTMARK_POSTGRES names. Mintmark's tables and your own are in it. */
export function openDatabase(environment: Readonly<Record<string, string | undefined>>): Database {
  const connectionString = environment['MINTMARK_POSTGRES']
  if (!connectionString) throw new Error('Set MINTMARK_POSTGRES in .env to the URL of a database.')
  const pool = new Pool({ connectionString, statement_timeout: 5000 })
  // Without a listener, a connection that breaks while it is idle would end the process.
  pool.on('error', (error) => console.error('A connection to PostgreSQL broke:', error.message))
  const dialect = toPostgresDialect(pool)
  return {
    dialect: { ...dialect, migrateCommand: 'npm run migrate' },
    tables: {
      async query(statement, ...values) {
        const text = statement.reduce((before, after, index) => `${before}$${index}${after}`)
        return (await pool.query<Row>(text, [...values])).rows
      },
      async create(definition) {
        await pool.query(`CREATE TABLE IF NOT EXISTS ${definition}`)
      },
    },
    async close() {
      await dialect.close()
      await pool.end()
    },
  }
}
