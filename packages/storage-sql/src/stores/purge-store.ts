import { revocationRetention } from '@mintmark/storage-interface'
import { changeRetention, type PurgeStore } from '@mintmark/storage-interface/stores'
import { sql, type RawBuilder } from 'kysely'
import { type Database, compileSql, type Parameter } from '../database.ts'
import type { SqlValue } from '../dialect.ts'
import { createColumnReader } from '../row.ts'
import { createGroupChanges } from './group-changes.ts'

/**
 * Deletes the oldest rows of each table with one statement, which finds them by their time in an index: the cost of a call
 * depends on its limit, not on the size of the tables. A call may be interrupted between any two statements. The time is
 * taken from the caller's clock or the database's, whichever is earlier: a server whose clock is ahead removes nothing that
 * other servers need, such as a replay mark or the revocation of a token.
 */
export function createPurgeStore(database: Database): PurgeStore {
  const groupChanges = createGroupChanges(database)
  const purgeIdleFamilies = createIdleFamilyPurge(database)
  const batches = removable.map((rows) => createBatch(database, rows))

  return {
    async purgeExpired({ now, limit }) {
      await groupChanges.finishAny()
      let removed = 0
      for (const removeBatch of batches) {
        removed += await removeBatch({ now, limit: limit - removed })
        // The next call removes further rows, if there are any.
        if (removed >= limit) return { removed, done: false }
      }
      const idle = await purgeIdleFamilies({ now, limit: limit - removed })
      return { removed: removed + idle.removed, done: idle.done }
    },
  }
}

/**
 * Returns a function that deletes the oldest rows of a table, and returns their number.
 *
 * After a full batch, the next one begins at the time of its last row. Until a vacuum, PostgreSQL has the entries of deleted rows
 * in the index: without the time, each batch would pass those of all earlier ones. A batch that is not full begins again at the
 * first row, because a batch leaves out rows that others have locked.
 */
function createBatch(
  { query, engine, run }: Database,
  { table, key, time, keptFor }: Removable,
): (batch: { readonly now: number; readonly limit: number }) => Promise<number> {
  const columns = createColumnReader(engine)
  const statement = compileSql(query, (p: Parameter<'issuer' | 'since' | 'now' | 'limit'>) => {
    const order = sql.raw(time)
    const until = sql`${earlier(p('now'), engine)} - ${sql.lit(keptFor ?? 0)}`
    const condition = sql`issuer = ${p('issuer')} and ${order} >= ${p('since')} and ${order} <= ${until}`
    return engine.deleteBatch({ table, key: ['issuer', ...key], condition, order, limit: sql`${p('limit')}` })
  })
  let since = 0

  return async ({ now, limit }) => {
    const rows = await run(statement, { since, now, limit })
    if (rows.length === limit) {
      since = rows.reduce((latest, row) => Math.max(latest, columns.integer(row, 'ordered_by')), since)
      return rows.length
    }
    if (since === 0) return rows.length
    since = 0
    const left = await run(statement, { since, now, limit: limit - rows.length })
    return rows.length + left.length
  }
}

/** Returns the earlier of the times by the caller's clock and by the database's. */
function earlier(now: SqlValue, engine: Database['engine']): RawBuilder<unknown> {
  const clock = sql.raw(engine.types.now)
  // As a subquery it is evaluated once, whatever the number of rows.
  return sql`(select case when ${now} < ${clock} then ${now} else ${clock} end)`
}

/**
 * Removes the families whose refresh token expired a day ago. Their access tokens have expired too: core lets no access
 * token outlive its refresh token. The expiry has no index, because each rotation would have to update it. Instead,
 * each call examines the next families in the order of their key, and a pass over all of them begins once a day.
 */
function createIdleFamilyPurge(database: Database): PurgeStore['purgeExpired'] {
  const { query, engine, run } = database
  const columns = createColumnReader(engine)
  const statements = {
    next: compileSql(
      query,
      (p: Parameter<'issuer' | 'after' | 'limit'>) =>
        sql`select family_id from mintmark_families where issuer = ${p('issuer')} and family_id > ${p('after')} order by family_id limit ${p('limit')}`,
    ),
    remove: compileSql(
      query,
      (p: Parameter<'issuer' | 'after' | 'until' | 'now'>) =>
        sql`delete from mintmark_families where issuer = ${p('issuer')} and family_id > ${p('after')} and family_id <= ${p('until')} and refresh_expires_at <= ${earlier(p('now'), engine)} - ${sql.lit(idleFamiliesKeptFor)} returning 1 as removed`,
    ),
  }
  let after = ''
  let nextPassAt = 0

  return async ({ now, limit }) => {
    if (now < nextPassAt) return { removed: 0, done: true }
    const families = await run(statements.next, { after, limit })
    const last = families.at(-1)
    const until = last === undefined ? after : columns.text(last, 'family_id')
    const removed = last === undefined ? [] : await run(statements.remove, { after, until, now })
    const isPassComplete = families.length < limit
    after = isPassComplete ? '' : until
    if (isPassComplete) nextPassAt = now + day
    return { removed: removed.length, done: isPassComplete }
  }
}

const day = 86_400
const idleFamiliesKeptFor = day

/**
 * The rows to delete, with the time after which they are not needed. A revoked grant is deleted at once, because codes and
 * tokens are refused if their grant does not exist.
 */
const removable: readonly Removable[] = [
  { table: 'mintmark_codes', key: ['digest'], time: 'expires_at' },
  // The browser has a copy of the interaction: a server whose clock is behind would let it be completed again.
  { table: 'mintmark_interactions', key: ['digest'], time: 'expires_at', keptFor: 300 },
  // A client may have a sealed copy of the request: the same applies.
  { table: 'mintmark_pushed_requests', key: ['digest'], time: 'expires_at', keptFor: 300 },
  { table: 'mintmark_decoupled_requests', key: ['digest'], time: 'expires_at' },
  { table: 'mintmark_replays', key: ['purpose', 'value_digest'], time: 'expires_at' },
  { table: 'mintmark_opaque_tokens', key: ['digest'], time: 'expires_at' },
  { table: 'mintmark_families', key: ['family_id'], time: 'expires_at' },
  // After a day, no code that could create the family again is valid. A token whose family does not exist is inactive.
  { table: 'mintmark_families', key: ['family_id'], time: 'revoked_at', keptFor: day },
  {
    table: 'mintmark_sessions',
    key: ['session_id'],
    // A trigger removes the participants.
    time: 'CASE WHEN idle_expires_at > kept_until THEN idle_expires_at ELSE kept_until END',
  },
  { table: 'mintmark_initial_access_tokens', key: ['token_id'], time: 'expires_at' },
  { table: 'mintmark_subjects', key: ['sector', 'user_id'], time: 'kept_until' },
  { table: 'mintmark_logs', key: ['entry_id'], time: 'expires_at' },
  { table: 'mintmark_deliveries', key: ['delivery_id'], time: 'kept_until' },
  { table: 'mintmark_grants', key: ['grant_id'], time: 'revoked_at' },
  { table: 'mintmark_changes', key: ['change_id'], time: 'changed_at', keptFor: changeRetention },
  { table: 'mintmark_revocations', key: ['position'], time: 'at', keptFor: revocationRetention },
]

interface Removable {
  readonly table: string
  /** The columns of the primary key, without `issuer`. */
  readonly key: readonly string[]
  readonly time: string
  /**
   * For how many seconds after `time` the row is kept: for servers whose clocks differ, or for readers of a log of changes.
   */
  readonly keptFor?: number
}
