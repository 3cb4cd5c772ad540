import { untilSettled, type OpaqueTokenStore } from '@mintmark/storage-interface/stores'
import { opaqueTokens } from '@mintmark/storage-interface/records'
import { createColumnReader } from '../row.ts'
import { type Database, compileLookup, compileStatement, type Parameter } from '../database.ts'
import { recordTable, type RecordTable } from '../record-table.ts'

export function createOpaqueTokenStore(database: Database): OpaqueTokenStore {
  const { engine, run } = database
  const table = recordTable(database, opaqueTokens)
  const statements = opaqueTokenStatements(database, table)
  const columns = createColumnReader(engine)

  return {
    async insert(token) {
      return { outcome: (await table.insert(token)) ? 'inserted' : 'taken' }
    },

    async find(digest, now) {
      const [row] = await run(statements.find, { digest, now })
      return row === undefined ? undefined : table.read(row)
    },

    async revoke(digest, clientId, now) {
      return untilSettled(async () => {
        const [revoked] = await run(statements.revoke, { digest, client_id: clientId, now })
        if (revoked !== undefined) return { outcome: 'revoked' }

        const [current] = await run(statements.findOwn, { digest, client_id: clientId })
        if (current === undefined) return { outcome: 'absent' }
        return columns.has(current, 'revoked_at') ? { outcome: 'unchanged' } : undefined
      })
    },
  }
}

function opaqueTokenStatements({ query }: Pick<Database, 'query'>, table: RecordTable<typeof opaqueTokens>) {
  return {
    find: compileLookup((p: Parameter<'issuer' | 'digest' | 'now'>) =>
      query
        .selectFrom('mintmark_opaque_tokens')
        .select(table.selection)
        .where('issuer', '=', p('issuer'))
        .where('digest', '=', p('digest'))
        .where('expires_at', '>', p('now'))
        .where('revoked_at', 'is', null),
    ),

    findOwn: compileLookup((p: Parameter<'issuer' | 'digest' | 'client_id'>) =>
      query
        .selectFrom('mintmark_opaque_tokens')
        .select('revoked_at')
        .where('issuer', '=', p('issuer'))
        .where('digest', '=', p('digest'))
        .where('client_id', '=', p('client_id')),
    ),

    // RFC 7009 §2.1: a token is revoked only by the client it was issued to.
    revoke: compileStatement((p: Parameter<'issuer' | 'digest' | 'client_id' | 'now'>) =>
      query
        .updateTable('mintmark_opaque_tokens')
        .set({ revoked_at: p('now') })
        .where('issuer', '=', p('issuer'))
        .where('digest', '=', p('digest'))
        .where('client_id', '=', p('client_id'))
        .where('revoked_at', 'is', null)
        .returning('digest'),
    ),
  }
}
