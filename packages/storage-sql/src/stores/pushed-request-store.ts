import { type PushedRequestStore, untilSettled } from '@mintmark/storage-interface/stores'
import { pushedRequests } from '@mintmark/storage-interface/records'
import { createColumnReader } from '../row.ts'
import { type Database, compileLookup, compileStatement, type Parameter } from '../database.ts'
import type { SqlRow } from '../dialect.ts'
import { recordTable, type RecordTable } from '../record-table.ts'

export function createPushedRequestStore(database: Database): PushedRequestStore {
  const { engine, run } = database
  const table = recordTable(database, pushedRequests)
  const statements = pushedRequestStatements(database, table)
  const columns = createColumnReader(engine)
  const isConsumed = (row: SqlRow): boolean => columns.has(table.take(row), 'consumed_at')

  return {
    async insert(request) {
      return { outcome: (await table.insert(request)) ? 'inserted' : 'taken' }
    },

    async find(digest, clientId, now) {
      const [row] = await run(statements.find, { digest, client_id: clientId, now })
      if (row === undefined) return undefined
      return isConsumed(row) ? 'consumed' : table.read(row)
    },

    async consume(digest, clientId, now) {
      const use = { digest, client_id: clientId, now }
      return untilSettled(async () => {
        const [won] = await run(statements.consume, use)
        if (won !== undefined) return { outcome: 'won', record: table.read(won) }

        const [row] = await run(statements.find, use)
        if (row === undefined) return { outcome: 'absent' }
        return isConsumed(row) ? { outcome: 'replayed', record: table.read(row) } : undefined
      })
    },
  }
}

function pushedRequestStatements({ query }: Pick<Database, 'query'>, table: RecordTable<typeof pushedRequests>) {
  type Use = 'issuer' | 'digest' | 'client_id' | 'now'
  return {
    find: compileLookup((p: Parameter<Use>) =>
      query
        .selectFrom('mintmark_pushed_requests')
        .select(table.selection)
        .where('issuer', '=', p('issuer'))
        .where('digest', '=', p('digest'))
        .where('client_id', '=', p('client_id'))
        .where('expires_at', '>', p('now')),
    ),

    // RFC 9126 §4: only one use meets `consumed_at IS NULL`, because the engine lets one writer at a time change a row.
    consume: compileStatement((p: Parameter<Use>) =>
      query
        .updateTable('mintmark_pushed_requests')
        .set({ consumed_at: p('now') })
        .where('issuer', '=', p('issuer'))
        .where('digest', '=', p('digest'))
        .where('client_id', '=', p('client_id'))
        .where('expires_at', '>', p('now'))
        .where('consumed_at', 'is', null)
        .returning(table.selection),
    ),
  }
}
