// One file: the methods of one store, and their statements.

import { after, revocationRetention, sessionId as asSessionId, type SessionRecord } from '@mintmark/storage-interface'
import { type SessionEnd, type SessionStore, untilSettled } from '@mintmark/storage-interface/stores'
import { type ColumnName, sessionParticipants, sessions } from '@mintmark/storage-interface/records'
import { sql } from 'kysely'
import { createColumnReader } from '../row.ts'
import { type Database, compileSql, compileLookup, compileStatement, parameters, type Parameter } from '../database.ts'
import type { SqlValue } from '../dialect.ts'
import { recordTable } from '../record-table.ts'
import {
  createParticipation,
  latest,
  ofSession,
  type SessionReader,
  type SessionTables,
  upsertSession,
  withoutCookie,
} from './session-participants.ts'

export function createSessionStore(database: Database): SessionStore {
  const { run } = database
  const tables = { session: recordTable(database, sessions), participant: recordTable(database, sessionParticipants) }
  const statements = sessionStatements(database, tables)
  const { toRow, read } = tables.session
  const find: SessionStore['find'] = async (sessionId) => {
    const [row] = await run(statements.find, { session_id: sessionId })
    return row === undefined ? undefined : read(row)
  }

  return {
    find,
    ...createParticipation(database, { tables, find }),
    ...createRevocation(database, { tables, find }),

    async insert(session) {
      return { outcome: (await tables.session.insert(session)) ? 'inserted' : 'taken' }
    },

    async touch(digest, { idleExpiresAt, lastSeenAt }) {
      await run(statements.touch, { digest, idle_expires_at: idleExpiresAt, last_seen_at: lastSeenAt })
    },

    async renew(session) {
      const rows = await run(statements.renew, toRow(session))
      return { outcome: rows.length === 0 ? 'absent' : 'renewed' }
    },

    async listByUser(userId, now) {
      const rows = await run(statements.listByUser, { user_id: userId, now })
      return rows.map(read)
    },
  }
}

function createRevocation(
  database: Database,
  { tables, find }: SessionReader,
): Pick<SessionStore, 'revoke' | 'revokeOfUser'> {
  const { engine, run } = database
  const statements = revocationStatements(database, tables)
  const columns = createColumnReader(engine)

  const revokeExisting = async (end: Ended): Promise<boolean> => (await run(statements.revoke, end)).length > 0

  /** Returns whether the session was not revoked before. */
  async function revokeOrInsert(ended: SessionRecord): Promise<boolean> {
    const row = tables.session.toRow(ended)
    if (engine.reportsUpserts) return (await run(statements.revokeOrInsert, row)).length > 0
    return (await tables.session.insert(ended)) || (await revokeExisting(row))
  }

  return {
    async revoke(end) {
      const { sessionId, tombstoneUntil } = end
      const values = { session_id: sessionId, ...endOf(end) }
      return untilSettled(async () => {
        const isRevoked =
          tombstoneUntil === undefined ? await revokeExisting(values) : await revokeOrInsert(tombstone(end))
        if (isRevoked) return { outcome: 'revoked' }

        const current = await find(sessionId)
        if (current === undefined) return tombstoneUntil === undefined ? { outcome: 'absent' } : undefined
        return current.revokedAt === undefined ? undefined : { outcome: 'unchanged' }
      })
    },

    async revokeOfUser(userId, reason, now) {
      const rows = await run(statements.revokeOfUser, { user_id: userId, ...endOf({ reason, now }) })
      return rows.map((row) => asSessionId(columns.text(row, 'session_id')))
    },
  }
}

const endOf = ({ reason, now }: Pick<SessionEnd, 'reason' | 'now'>) => ({
  revoked_at: now,
  end_reason: reason,
  kept_until: after(now, revocationRetention),
})

/** Returns the record of a session that is ended before it is stored. */
const tombstone = ({ sessionId, reason, now, tombstoneUntil }: SessionEnd): SessionRecord => ({
  ...withoutCookie,
  sessionId,
  userId: undefined,
  userGeneration: 0,
  authTime: now,
  acr: undefined,
  amr: [],
  userAgent: undefined,
  location: undefined,
  createdAt: now,
  lastSeenAt: now,
  keptUntil: later(after(now, revocationRetention), tombstoneUntil),
  revokedAt: now,
  endReason: reason,
})

const later = <Time extends number>(one: Time, other: Time | undefined): Time =>
  other === undefined || other < one ? one : other

type End = 'revoked_at' | 'end_reason' | 'kept_until'

/** The values with which a session is revoked. */
type Ended = Readonly<Record<'session_id' | End, SqlValue>>

function sessionStatements({ query }: Pick<Database, 'query'>, tables: SessionTables) {
  return {
    find: compileLookup((p: Parameter<'issuer' | 'session_id'>) =>
      query.selectFrom('mintmark_sessions').select(tables.session.selection).where(ofSession(p)),
    ),

    touch: compileStatement((p: Parameter<'issuer' | 'digest' | 'idle_expires_at' | 'last_seen_at'>) =>
      query
        .updateTable('mintmark_sessions')
        .set(parameters(p, ['idle_expires_at', 'last_seen_at']))
        .where('issuer', '=', p('issuer'))
        .where('digest', '=', p('digest'))
        .where('revoked_at', 'is', null),
    ),

    renew: compileStatement((p: Parameter<ColumnName<typeof sessions>>) =>
      query
        .updateTable('mintmark_sessions')
        .set(parameters(p, renewedColumns))
        .where(ofSession(p))
        .where('user_id', '=', p('user_id'))
        .where('revoked_at', 'is', null)
        .returning('session_id'),
    ),

    listByUser: compileStatement((p: Parameter<'issuer' | 'user_id' | 'now'>) =>
      query
        .selectFrom('mintmark_sessions')
        .select(tables.session.selection)
        .where('issuer', '=', p('issuer'))
        .where('user_id', '=', p('user_id'))
        .where('revoked_at', 'is', null)
        .where(sql<SqlValue>`coalesce(idle_expires_at, kept_until)`, '>', p('now'))
        .where(sql<SqlValue>`coalesce(expires_at, kept_until)`, '>', p('now'))
        .orderBy('created_at', 'desc'),
    ),
  }
}

function revocationStatements({ query, engine }: Pick<Database, 'query' | 'engine'>, tables: SessionTables) {
  const unrevoked = (p: Parameter<'issuer' | End>) =>
    query
      .updateTable('mintmark_sessions')
      .set(parameters(p, ['revoked_at', 'end_reason']))
      .set({ kept_until: latest(sql.ref('kept_until'), sql`${p('kept_until')}`) })
      .where('issuer', '=', p('issuer'))
      .where('revoked_at', 'is', null)
      .returning('session_id')

  return {
    revoke: compileStatement((p: Parameter<'issuer' | 'session_id' | End>) =>
      unrevoked(p).where('session_id', '=', p('session_id')),
    ),

    revokeOrInsert: compileSql(query, (p: Parameter<ColumnName<typeof sessions>>) =>
      upsertSession(
        p,
        { engine, tables },
        {
          set: { revoked_at: engine.excluded('revoked_at'), end_reason: engine.excluded('end_reason') },
          where: sql`mintmark_sessions.revoked_at is null`,
        },
      ),
    ),

    revokeOfUser: compileStatement((p: Parameter<'issuer' | 'user_id' | End>) =>
      unrevoked(p).where('user_id', '=', p('user_id')),
    ),
  }
}

/** The columns of the cookie and the sign-in of a session. */
const renewedColumns = [
  'user_generation',
  'digest',
  'auth_time',
  'acr',
  'amr',
  'user_agent',
  'location',
  'last_seen_at',
  'idle_expires_at',
  'expires_at',
] as const
