import { untilSettled, type SessionStore } from '@mintmark/storage-interface/stores'
import { sessions } from '@mintmark/storage-interface/records'
import { createColumnReader } from '../row.ts'
import { type Database, compileStatement, type Parameter } from '../database.ts'
import { recordTable, type RecordTable } from '../record-table.ts'

export function createSessionStore(database: Database): SessionStore {
  const { engine, run } = database
  const table = recordTable(database, sessions)
  const statements = sessionStatements(database, table)
  const columns = createColumnReader(engine)

  return {
    async insert(session) {
      return { outcome: (await table.insert(session)) ? 'inserted' : 'taken' }
    },

    async touch(digest, idleExpiresAt) {
      await run(statements.touch, { digest, idle_expires_at: idleExpiresAt })
    },

    async revoke(sessionId, now) {
      return untilSettled(async () => {
        const [revoked] = await run(statements.revoke, { session_id: sessionId, now })
        if (revoked !== undefined) return { outcome: 'revoked' }

        const [current] = await run(statements.find, { session_id: sessionId })
        if (current === undefined) return { outcome: 'absent' }
        return columns.has(current, 'revoked_at') ? { outcome: 'unchanged' } : undefined
      })
    },

    async listByUser(userId, now) {
      const rows = await run(statements.listByUser, { user_id: userId, now })
      return rows.map(table.read)
    },
  }
}

function sessionStatements({ query }: Pick<Database, 'query'>, table: RecordTable<typeof sessions>) {
  return {
    find: compileStatement((p: Parameter<'issuer' | 'session_id'>) =>
      query
        .selectFrom('mintmark_sessions')
        .select('revoked_at')
        .where('issuer', '=', p('issuer'))
        .where('session_id', '=', p('session_id')),
    ),

    touch: compileStatement((p: Parameter<'issuer' | 'digest' | 'idle_expires_at'>) =>
      query
        .updateTable('mintmark_sessions')
        .set({ idle_expires_at: p('idle_expires_at') })
        .where('issuer', '=', p('issuer'))
        .where('digest', '=', p('digest'))
        .where('revoked_at', 'is', null),
    ),

    revoke: compileStatement((p: Parameter<'issuer' | 'session_id' | 'now'>) =>
      query
        .updateTable('mintmark_sessions')
        .set({ revoked_at: p('now') })
        .where('issuer', '=', p('issuer'))
        .where('session_id', '=', p('session_id'))
        .where('revoked_at', 'is', null)
        .returning('session_id'),
    ),

    listByUser: compileStatement((p: Parameter<'issuer' | 'user_id' | 'now'>) =>
      query
        .selectFrom('mintmark_sessions')
        .select(table.whole)
        .where('issuer', '=', p('issuer'))
        .where('user_id', '=', p('user_id'))
        .where('revoked_at', 'is', null)
        .where('idle_expires_at', '>', p('now'))
        .where('expires_at', '>', p('now'))
        .orderBy('created_at', 'desc'),
    ),
  }
}
