import type { LogStore } from '@mintmark/storage-interface/stores'
import { logs } from '@mintmark/storage-interface/records'
import { sql } from 'kysely'
import { type Database, compileStatement, type Parameter } from '../database.ts'
import { recordTable, type RecordTable } from '../record-table.ts'

export function createLogStore(database: Database): LogStore {
  const { run } = database
  const table = recordTable(database, logs)
  const statements = logStatements(database, table)

  return {
    async append(entry) {
      return { outcome: (await table.insert(entry)) ? 'inserted' : 'taken' }
    },

    async list({ log, before, limit }) {
      const { at, entryId } = before ?? endOfTime
      const rows = await run(statements.list, { log, before_at: at, before_entry_id: entryId, limit })
      return rows.map(table.read)
    },
  }
}

function logStatements({ query }: Pick<Database, 'query'>, table: RecordTable<typeof logs>) {
  return {
    list: compileStatement((p: Parameter<'issuer' | 'log' | 'before_at' | 'before_entry_id' | 'limit'>) =>
      query
        .selectFrom('mintmark_logs')
        .select(table.selection)
        .where('issuer', '=', p('issuer'))
        .where('log', '=', p('log'))
        .where(sql<boolean>`(at, entry_id) < (${p('before_at')}, ${p('before_entry_id')})`)
        .orderBy('at', 'desc')
        .orderBy('entry_id', 'desc')
        .limit((limit) => limit.val(p('limit') as number)),
    ),
  }
}

/** Later than every entry. */
const endOfTime = { at: Number.MAX_SAFE_INTEGER, entryId: '' }
