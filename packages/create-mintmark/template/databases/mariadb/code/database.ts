import { toMariadbDialect } from '@mintmark/storage-sql/mariadb'
import { createPool } from 'mysql2'

import type { Database, Row } from '#query'

/** Opens the database that MINTMARK_MARIADB names. Mintmark's tables and your own are in it. */
export function openDatabase(environment: Readonly<Record<string, string | undefined>>): Database {
  const uri = environment['MINTMARK_MARIADB']
  if (!uri) throw new Error('Set MINTMARK_MARIADB in .env to the URL of a database.')
  // Mintmark has a pool of its own, because it changes settings of the connections.
  const poolOfMintmark = createPool({ uri, connectionLimit: 20 })
  const dialect = toMariadbDialect(poolOfMintmark)
  const pool = createPool({ uri }).promise()
  return {
    dialect: { ...dialect, migrateCommand: 'npm run migrate' },
    tables: {
      async query(statement, ...values) {
        const [rows] = await pool.execute(statement.join('?'), [...values])
        return Array.isArray(rows) ? (rows as Row[]) : []
      },
      async create(definition) {
        // Other collations treat `Ann` and `ann`, and `ann` and `ann `, as the same name.
        await pool.query(`CREATE TABLE IF NOT EXISTS ${definition} CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin`)
      },
    },
    async close() {
      await dialect.close()
      await Promise.all([poolOfMintmark.promise().end(), pool.end()])
    },
  }
}
