import { type InitialAccessTokenStore, untilSettled } from '@mintmark/storage-interface/stores'
import { initialAccessTokens } from '@mintmark/storage-interface/records'
import { sql } from 'kysely'
import { createColumnReader } from '../row.ts'
import { type Database, compileStatement, type Parameter } from '../database.ts'
import { recordTable, type RecordTable } from '../record-table.ts'

export function createInitialAccessTokenStore(database: Database): InitialAccessTokenStore {
  const { engine, run } = database
  const table = recordTable(database, initialAccessTokens)
  const statements = initialAccessTokenStatements(database, table)
  const columns = createColumnReader(engine)

  return {
    async insert(token) {
      return { outcome: (await table.insert(token)) ? 'inserted' : 'taken' }
    },

    async find(tokenId) {
      const [row] = await run(statements.find, { token_id: tokenId })
      return row === undefined ? undefined : table.read(row)
    },

    async spend(tokenId, digest, now) {
      return untilSettled(async () => {
        const [spent] = await run(statements.spend, { token_id: tokenId, digest, now })
        if (spent !== undefined) return { outcome: 'spent', record: table.read(spent) }

        const [usable] = await run(statements.findUsable, { token_id: tokenId, digest, now })
        if (usable === undefined) return { outcome: 'absent' }
        return columns.integer(usable, 'remaining') < 1 ? { outcome: 'exhausted' } : undefined
      })
    },

    async revoke(tokenId, now) {
      return untilSettled(async () => {
        const [revoked] = await run(statements.revoke, { token_id: tokenId, now })
        if (revoked !== undefined) return { outcome: 'revoked' }

        const [current] = await run(statements.find, { token_id: tokenId })
        if (current === undefined) return { outcome: 'absent' }
        return table.read(current).revokedAt === undefined ? undefined : { outcome: 'unchanged' }
      })
    },

    async list({ after, limit }) {
      const rows = await run(statements.list, { after: after ?? '', limit })
      return rows.map(table.read)
    },
  }
}

function initialAccessTokenStatements(
  { query }: Pick<Database, 'query'>,
  table: RecordTable<typeof initialAccessTokens>,
) {
  return {
    find: compileStatement((p: Parameter<'issuer' | 'token_id'>) =>
      query
        .selectFrom('mintmark_initial_access_tokens')
        .select(table.selection)
        .where('issuer', '=', p('issuer'))
        .where('token_id', '=', p('token_id')),
    ),

    findUsable: compileStatement((p: Parameter<'issuer' | 'token_id' | 'digest' | 'now'>) =>
      query
        .selectFrom('mintmark_initial_access_tokens')
        .select('remaining')
        .where('issuer', '=', p('issuer'))
        .where('token_id', '=', p('token_id'))
        .where('digest', '=', p('digest'))
        .where('expires_at', '>', p('now'))
        .where('revoked_at', 'is', null),
    ),

    spend: compileStatement((p: Parameter<'issuer' | 'token_id' | 'digest' | 'now'>) =>
      query
        .updateTable('mintmark_initial_access_tokens')
        .set({ remaining: sql<number>`remaining - 1` })
        .where('issuer', '=', p('issuer'))
        .where('token_id', '=', p('token_id'))
        .where('digest', '=', p('digest'))
        .where('expires_at', '>', p('now'))
        .where('revoked_at', 'is', null)
        .where(sql<boolean>`remaining > 0`)
        .returning(table.selection),
    ),

    revoke: compileStatement((p: Parameter<'issuer' | 'token_id' | 'now'>) =>
      query
        .updateTable('mintmark_initial_access_tokens')
        .set({ revoked_at: p('now') })
        .where('issuer', '=', p('issuer'))
        .where('token_id', '=', p('token_id'))
        .where('revoked_at', 'is', null)
        .returning('token_id'),
    ),

    list: compileStatement((p: Parameter<'issuer' | 'after' | 'limit'>) =>
      query
        .selectFrom('mintmark_initial_access_tokens')
        .select(table.selection)
        .where('issuer', '=', p('issuer'))
        .where('token_id', '>', p('after'))
        .orderBy('token_id')
        .limit((limit) => limit.val(p('limit') as number)),
    ),
  }
}
