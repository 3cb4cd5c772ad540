// One file: the methods of one store, and their statements.

import { after, revocationRetention, sessionId as asSessionId, type SessionRecord } from '@mintmark/storage-interface'
import {
  type SessionEnd,
  type SessionJoin,
  type SessionJoinOutcome,
  type SessionStore,
  untilSettled,
} from '@mintmark/storage-interface/stores'
import { type ColumnName, sessionParticipants, sessions } from '@mintmark/storage-interface/records'
import { sql, type RawBuilder } from 'kysely'
import { createColumnReader } from '../row.ts'
import { type Database, compileSql, compileStatement, parameters, type Parameter } from '../database.ts'
import type { SqlValue } from '../dialect.ts'
import { recordTable, type RecordTable } from '../record-table.ts'

export function createSessionStore(database: Database): SessionStore {
  const { engine, run, step, transact } = database
  const tables = { session: recordTable(database, sessions), participant: recordTable(database, sessionParticipants) }
  const statements = sessionStatements(database, tables)
  const columns = createColumnReader(engine)
  const { toRow, read } = tables.session

  /** Explains why a client did not join. @returns `undefined` if the session does not exist, or if a join would now succeed. */
  async function explain({ session }: SessionJoin): Promise<SessionJoinOutcome | undefined> {
    const [current] = await run(statements.find, { session_id: session.sessionId })
    if (current === undefined) return undefined
    const { revokedAt, userId } = read(current)
    if (revokedAt !== undefined) return { outcome: 'ended' }
    return userId === session.userId ? undefined : { outcome: 'foreign' }
  }

  const revokeExisting = async (end: Ended): Promise<boolean> => (await run(statements.revoke, end)).length > 0

  /** Returns whether the session was not revoked before. */
  async function revokeOrInsert(ended: SessionRecord): Promise<boolean> {
    const row = toRow(ended)
    if (engine.reportsUpserts) return (await run(statements.revokeOrInsert, row)).length > 0
    return (await tables.session.insert(ended)) || (await revokeExisting(row))
  }

  return {
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

    async join(request) {
      const { session, clientId, now } = request
      const participant = { session_id: session.sessionId, client_id: clientId, first_at: now, last_at: now }
      return untilSettled(async () => {
        if (engine.writesInTurn) {
          const joined = await run(statements.join, { ...toRow(newSession(request)), ...participant })
          return joined.length === 0 ? explain(request) : { outcome: 'joined' }
        }
        // The first step locks the session's row until the transaction ends, so no revocation can happen between the steps.
        const own = { session_id: session.sessionId, user_id: session.userId }
        const anchor = engine.reportsUpserts
          ? [step(statements.anchor, toRow(newSession(request)), 'guard')]
          : [step(statements.anchor, toRow(newSession(request))), step(statements.isAnchored, own, 'guard')]
        const rows = await transact([...anchor, step(statements.participate, participant)])
        return rows === undefined ? explain(request) : { outcome: 'joined' }
      })
    },

    async revoke(end) {
      const { sessionId, tombstoneUntil } = end
      const values = { session_id: sessionId, ...endOf(end) }
      return untilSettled(async () => {
        const isRevoked =
          tombstoneUntil === undefined ? await revokeExisting(values) : await revokeOrInsert(tombstone(end))
        if (isRevoked) return { outcome: 'revoked' }

        const [current] = await run(statements.find, { session_id: sessionId })
        if (current === undefined) return tombstoneUntil === undefined ? { outcome: 'absent' } : undefined
        return read(current).revokedAt === undefined ? undefined : { outcome: 'unchanged' }
      })
    },

    async revokeOfUser(userId, reason, now) {
      const rows = await run(statements.revokeOfUser, { user_id: userId, ...endOf({ reason, now }) })
      return rows.map((row) => asSessionId(columns.text(row, 'session_id')))
    },

    async find(sessionId) {
      const [row] = await run(statements.find, { session_id: sessionId })
      return row === undefined ? undefined : read(row)
    },

    async listByUser(userId, now) {
      const rows = await run(statements.listByUser, { user_id: userId, now })
      return rows.map(read)
    },

    async participants(sessionId) {
      const rows = await run(statements.participants, { session_id: sessionId })
      return rows.map(tables.participant.read)
    },

    async participantsOfUser(userId, upToGeneration) {
      const rows = await run(statements.participantsOfUser, { user_id: userId, user_generation: upToGeneration })
      return rows.map(tables.participant.read)
    },
  }
}

const endOf = ({ reason, now }: Pick<SessionEnd, 'reason' | 'now'>) => ({
  revoked_at: now,
  end_reason: reason,
  kept_until: after(now, revocationRetention),
})

const withoutCookie = { digest: undefined, idleExpiresAt: undefined, expiresAt: undefined }

/** Returns the record of a session of the host. */
const newSession = ({ session, now }: SessionJoin): SessionRecord => ({
  ...session,
  ...withoutCookie,
  createdAt: now,
  lastSeenAt: now,
  revokedAt: undefined,
  endReason: undefined,
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

interface SessionTables {
  readonly session: RecordTable<typeof sessions>
  readonly participant: RecordTable<typeof sessionParticipants>
}

type ParticipantValue = 'issuer' | 'session_id' | 'client_id' | 'first_at' | 'last_at'

type End = 'revoked_at' | 'end_reason' | 'kept_until'

/** The values with which a session is revoked. */
type Ended = Readonly<Record<'session_id' | End, SqlValue>>

function sessionStatements({ query, engine }: Pick<Database, 'query' | 'engine'>, tables: SessionTables) {
  const unrevoked = (p: Parameter<'issuer' | End>) =>
    query
      .updateTable('mintmark_sessions')
      .set(parameters(p, ['revoked_at', 'end_reason']))
      .set({ kept_until: latest(sql.ref('kept_until'), sql`${p('kept_until')}`) })
      .where('issuer', '=', p('issuer'))
      .where('revoked_at', 'is', null)
      .returning('session_id')

  /** Inserts a session, or changes the existing session if it meets a condition. */
  const upsert = (
    p: Parameter<ColumnName<typeof sessions>>,
    {
      set,
      where,
    }: { readonly set: Readonly<Record<string, RawBuilder<unknown>>>; readonly where: RawBuilder<unknown> },
  ) =>
    engine.upsert({
      table: 'mintmark_sessions',
      columns: tables.session.columns,
      values: sql`${sql.join(tables.session.columns.map((column) => p(column)))}`,
      key: ['issuer', 'session_id'],
      set: { kept_until: latest(sql`mintmark_sessions.kept_until`, engine.excluded('kept_until')), ...set },
      where,
    })

  const anchor = (p: Parameter<ColumnName<typeof sessions>>) =>
    upsert(p, {
      set: { last_seen_at: latest(sql`mintmark_sessions.last_seen_at`, engine.excluded('last_seen_at')) },
      where: sql`mintmark_sessions.revoked_at is null and mintmark_sessions.user_id = ${engine.excluded('user_id')}`,
    })

  /** @param from a table without whose row nothing is written. */
  const participate = (p: Parameter<ParticipantValue>, from?: RawBuilder<unknown>) =>
    engine.upsert({
      table: 'mintmark_session_participants',
      columns: ['issuer', 'session_id', 'client_id', 'first_at', 'last_at'],
      values: sql`${p('issuer')}, ${p('session_id')}, ${p('client_id')}, ${p('first_at')}, ${p('last_at')}`,
      ...(from === undefined ? {} : { from }),
      key: ['issuer', 'session_id', 'client_id'],
      set: { last_at: latest(sql`mintmark_session_participants.last_at`, engine.excluded('last_at')) },
    })

  return {
    find: compileStatement((p: Parameter<'issuer' | 'session_id'>) =>
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

    /** Writes the session of a join. */
    anchor: compileSql(query, anchor),

    /** Whether the session of a join was written, if the upsert does not say. It stays locked. */
    isAnchored: compileSql(
      query,
      (p: Parameter<'issuer' | 'session_id' | 'user_id'>) =>
        sql`select 1 as written from mintmark_sessions where ${ofSession(p)} and revoked_at is null and user_id = ${p('user_id')}
          ${sql.raw(engine.types.lockRows)}`,
    ),

    participate: compileSql(query, (p: Parameter<ParticipantValue>) => participate(p)),

    /**
     * Writes the session and then the participant, with one statement: the second write reads the result of the first, which
     * locks the session's row until the statement is committed.
     */
    join: compileSql(
      query,
      (p: Parameter<ColumnName<typeof sessions> | ParticipantValue>) =>
        sql`with anchored as (${anchor(p)}) ${participate(p, sql`anchored`)}`,
    ),

    revoke: compileStatement((p: Parameter<'issuer' | 'session_id' | End>) =>
      unrevoked(p).where('session_id', '=', p('session_id')),
    ),

    revokeOrInsert: compileSql(query, (p: Parameter<ColumnName<typeof sessions>>) =>
      upsert(p, {
        set: { revoked_at: engine.excluded('revoked_at'), end_reason: engine.excluded('end_reason') },
        where: sql`mintmark_sessions.revoked_at is null`,
      }),
    ),

    revokeOfUser: compileStatement((p: Parameter<'issuer' | 'user_id' | End>) =>
      unrevoked(p).where('user_id', '=', p('user_id')),
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

    participants: compileStatement((p: Parameter<'issuer' | 'session_id'>) =>
      query
        .selectFrom('mintmark_session_participants')
        .select(tables.participant.selection)
        .where(ofSession(p))
        .orderBy('client_id'),
    ),

    participantsOfUser: compileStatement((p: Parameter<'issuer' | 'user_id' | 'user_generation'>) =>
      query
        .selectFrom('mintmark_sessions as session')
        .innerJoin('mintmark_session_participants', (join) =>
          join
            .onRef('mintmark_session_participants.issuer', '=', 'session.issuer')
            .onRef('mintmark_session_participants.session_id', '=', 'session.session_id'),
        )
        .select(tables.participant.selection)
        .where('session.issuer', '=', p('issuer'))
        .where('session.user_id', '=', p('user_id'))
        .where('session.revoked_at', 'is', null)
        .where('session.user_generation', '<=', p('user_generation'))
        .orderBy('mintmark_session_participants.session_id')
        .orderBy('mintmark_session_participants.client_id'),
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

const ofSession = (p: Parameter<'issuer' | 'session_id'>) =>
  sql<boolean>`issuer = ${p('issuer')} and session_id = ${p('session_id')}`

const latest = (one: RawBuilder<unknown>, other: RawBuilder<unknown>): RawBuilder<SqlValue> =>
  sql`case when ${one} < ${other} then ${other} else ${one} end`
