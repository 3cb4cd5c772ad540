import { toDurableObjectDialect } from '@mintmark/storage-sql/durable-object'

import type { Database } from '#query'
import type { DurableObjectState } from '#durable-object'

/** Opens the database of the Durable Object. Mintmark's tables and your own are in it. */
export const openObjectDatabase = ({ storage }: DurableObjectState): Pick<Database, 'dialect' | 'tables'> => ({
  dialect: toDurableObjectDialect(storage),
  tables: {
    query: async (statement, ...values) => storage.sql.exec(statement.join('?'), ...values).toArray(),
    async create(definition) {
      storage.sql.exec(`CREATE TABLE IF NOT EXISTS ${definition}`)
    },
  },
})
