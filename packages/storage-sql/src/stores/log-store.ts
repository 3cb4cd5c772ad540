import type { LogStore } from '@mintmark/storage-interface'
import { sql } from 'kysely'
import { createColumnReader } from '../row.ts'
import type { Database } from '../database.ts'
import { logEntryColumns, logEntryReader, logEntryRow } from '../rows/log-entry-row.ts'
import { compileStatement, parameters, type Parameter } from '../statement.ts'

export function createLogStore({ query, engine, run }: Database): LogStore {
  const statements = logStatements(query)
  const read = logEntryReader(createColumnReader(engine))

  return {
    async append(entry) {
      const [row] = await run(statements.append, logEntryRow(entry))
      return { outcome: row === undefined ? 'taken' : 'inserted' }
    },

    async list({ log, before, limit }) {
      const { at, entryId } = before ?? endOfTime
      const rows = await run(statements.list, { log, before_at: at, before_entry_id: entryId, limit })
      return rows.map(read)
    },
  }
}

function logStatements(query: Database['query']) {
  return {
    append: compileStatement((p: Parameter<(typeof logEntryColumns)[number]>) =>
      query
        .insertInto('mintmark_logs')
        .values(parameters(p, logEntryColumns))
        .onConflict((conflict) => conflict.doNothing())
        .returning('entry_id'),
    ),

    list: compileStatement((p: Parameter<'issuer' | 'log' | 'before_at' | 'before_entry_id' | 'limit'>) =>
      query
        .selectFrom('mintmark_logs')
        .select(logEntryColumns)
        .where('issuer', '=', p('issuer'))
        .where('log', '=', p('log'))
        .where(sql<boolean>`(at, entry_id) < (${p('before_at')}, ${p('before_entry_id')})`)
        .orderBy('at', 'desc')
        .orderBy('entry_id', 'desc')
        .limit((limit) => limit.val(p('limit') as number)),
    ),
  }
}

/** Nothing is as late. */
const endOfTime = { at: Number.MAX_SAFE_INTEGER, entryId: '' }
