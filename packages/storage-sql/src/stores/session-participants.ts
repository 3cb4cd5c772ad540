import type { SessionRecord } from '@mintmark/storage-interface'
import {
  type SessionJoin,
  type SessionJoinOutcome,
  type SessionStore,
  untilSettled,
} from '@mintmark/storage-interface/stores'
import type { ColumnName, sessionParticipants, sessions } from '@mintmark/storage-interface/records'
import { sql, type RawBuilder } from 'kysely'
import { type Database, compileSql, compileStatement, type Parameter } from '../database.ts'
import type { SqlValue } from '../dialect.ts'
import type { RecordTable } from '../record-table.ts'

/** The clients that a session has signed in to. */
export function createParticipation(
  database: Database,
  { tables, find }: SessionReader,
): Pick<SessionStore, 'join' | 'participants' | 'participantsOfUser'> {
  const { engine, run, step, transact } = database
  const statements = participationStatements(database, tables)
  const { toRow } = tables.session

  /** Explains why a client did not join. @returns `undefined` if the session does not exist, or if a join would now succeed. */
  async function explain({ session }: SessionJoin): Promise<SessionJoinOutcome | undefined> {
    const current = await find(session.sessionId)
    if (current === undefined) return undefined
    const { revokedAt, userId } = current
    if (revokedAt !== undefined) return { outcome: 'ended' }
    return userId === session.userId ? undefined : { outcome: 'foreign' }
  }

  return {
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

export interface SessionReader {
  readonly tables: SessionTables
  readonly find: SessionStore['find']
}

export interface SessionTables {
  readonly session: RecordTable<typeof sessions>
  readonly participant: RecordTable<typeof sessionParticipants>
}

/** Returns the record of a session of the host. */
const newSession = ({ session, now }: SessionJoin): SessionRecord => ({
  ...session,
  ...withoutCookie,
  createdAt: now,
  lastSeenAt: now,
  revokedAt: undefined,
  endReason: undefined,
})

export const withoutCookie = { digest: undefined, idleExpiresAt: undefined, expiresAt: undefined }

type ParticipantValue = 'issuer' | 'session_id' | 'client_id' | 'first_at' | 'last_at'

/** The statements about the clients of a session. */
function participationStatements({ query, engine }: Pick<Database, 'query' | 'engine'>, tables: SessionTables) {
  const anchor = (p: Parameter<ColumnName<typeof sessions>>) =>
    upsertSession(
      p,
      { engine, tables },
      {
        set: { last_seen_at: latest(sql`mintmark_sessions.last_seen_at`, engine.excluded('last_seen_at')) },
        where: sql`mintmark_sessions.revoked_at is null and mintmark_sessions.user_id = ${engine.excluded('user_id')}`,
      },
    )

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

/** Inserts a session, or changes the existing session if it meets a condition. */
export const upsertSession = (
  p: Parameter<ColumnName<typeof sessions>>,
  { engine, tables }: { readonly engine: Database['engine']; readonly tables: SessionTables },
  { set, where }: { readonly set: Readonly<Record<string, RawBuilder<unknown>>>; readonly where: RawBuilder<unknown> },
) =>
  engine.upsert({
    table: 'mintmark_sessions',
    columns: tables.session.columns,
    values: sql`${sql.join(tables.session.columns.map((column) => p(column)))}`,
    key: ['issuer', 'session_id'],
    set: { kept_until: latest(sql`mintmark_sessions.kept_until`, engine.excluded('kept_until')), ...set },
    where,
  })

export const ofSession = (p: Parameter<'issuer' | 'session_id'>) =>
  sql<boolean>`issuer = ${p('issuer')} and session_id = ${p('session_id')}`

export const latest = (one: RawBuilder<unknown>, other: RawBuilder<unknown>): RawBuilder<SqlValue> =>
  sql`case when ${one} < ${other} then ${other} else ${one} end`
