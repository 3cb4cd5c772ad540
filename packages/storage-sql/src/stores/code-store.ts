import { untilSettled, type AuthorizationCodeStore } from '@mintmark/storage-interface/stores'
import { codes } from '@mintmark/storage-interface/records'
import { createColumnReader } from '../row.ts'
import { type Database, compileStatement, type Parameter } from '../database.ts'
import { recordTable, type RecordTable } from '../record-table.ts'

export function createCodeStore(database: Database): AuthorizationCodeStore {
  const { engine, run } = database
  const table = recordTable(database, codes)
  const statements = codeStatements(database, table)
  const columns = createColumnReader(engine)

  return {
    async insert(code) {
      return { outcome: (await table.insert(code)) ? 'inserted' : 'taken' }
    },

    async find(digest, clientId, now) {
      const [row] = await run(statements.find, { digest, client_id: clientId, now })
      return row === undefined ? undefined : table.read(row)
    },

    async consume(digest, clientId, now) {
      const presentation = { digest, client_id: clientId, now }
      return untilSettled(async () => {
        const [won] = await run(statements.consume, presentation)
        if (won !== undefined) return { outcome: 'won', record: table.read(won) }

        const [found] = await run(statements.find, presentation)
        if (found === undefined) return { outcome: 'absent' }
        const isConsumed = columns.has(table.take(found), 'consumed_at')
        return isConsumed ? { outcome: 'replayed', record: table.read(found) } : undefined
      })
    },
  }
}

function codeStatements({ query }: Pick<Database, 'query'>, table: RecordTable<typeof codes>) {
  return {
    find: compileStatement((p: Parameter<'issuer' | 'digest' | 'client_id' | 'now'>) =>
      query
        .selectFrom('mintmark_codes')
        .select(table.whole)
        .where('issuer', '=', p('issuer'))
        .where('digest', '=', p('digest'))
        .where('client_id', '=', p('client_id'))
        .where('expires_at', '>', p('now')),
    ),

    // RFC 6749 §10.5: only one presentation meets `consumed_at IS NULL`, because the engine lets one writer at a time
    // change a row.
    consume: compileStatement((p: Parameter<'issuer' | 'digest' | 'client_id' | 'now'>) =>
      query
        .updateTable('mintmark_codes')
        .set({ consumed_at: p('now') })
        .where('issuer', '=', p('issuer'))
        .where('digest', '=', p('digest'))
        .where('client_id', '=', p('client_id'))
        .where('expires_at', '>', p('now'))
        .where('consumed_at', 'is', null)
        .returning(table.whole),
    ),
  }
}
