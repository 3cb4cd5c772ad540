import { untilSettled, type SessionStore } from '@mintmark/storage-interface'
import { createColumnReader } from '../row.ts'
import type { Database } from '../database.ts'
import { sessionColumns, sessionReader, sessionRow } from '../rows/session-row.ts'
import { compileStatement, parameters, type Parameter } from '../statement.ts'

export function createSessionStore({ query, engine, run }: Database): SessionStore {
  const statements = sessionStatements(query)
  const columns = createColumnReader(engine)
  const read = sessionReader(columns)

  return {
    async insert(session) {
      const [row] = await run(statements.insert, sessionRow(session))
      return { outcome: row === undefined ? 'taken' : 'inserted' }
    },

    async touch(digest, idleExpiresAt) {
      await run(statements.touch, { digest, idle_expires_at: idleExpiresAt })
    },

    async revoke(sessionId, now) {
      return untilSettled(async () => {
        const [ended] = await run(statements.revoke, { session_id: sessionId, now })
        if (ended !== undefined) return { outcome: 'ended' }

        const [current] = await run(statements.find, { session_id: sessionId })
        if (current === undefined) return { outcome: 'absent' }
        return columns.has(current, 'revoked_at') ? { outcome: 'unchanged' } : undefined
      })
    },

    async listByUser(userId, now) {
      const rows = await run(statements.listByUser, { user_id: userId, now })
      return rows.map(read)
    },
  }
}

function sessionStatements(query: Database['query']) {
  return {
    insert: compileStatement((p: Parameter<(typeof sessionColumns)[number]>) =>
      query
        .insertInto('mintmark_sessions')
        .values(parameters(p, sessionColumns))
        .onConflict((conflict) => conflict.doNothing())
        .returning('digest'),
    ),

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
        .select(sessionColumns)
        .where('issuer', '=', p('issuer'))
        .where('user_id', '=', p('user_id'))
        .where('revoked_at', 'is', null)
        .where('idle_expires_at', '>', p('now'))
        .where('expires_at', '>', p('now'))
        .orderBy('created_at', 'desc'),
    ),
  }
}
