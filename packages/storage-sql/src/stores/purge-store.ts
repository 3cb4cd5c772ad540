import { endingsKeptFor, type PurgeStore } from '@mintmark/storage-interface'
import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { compileSql, type Parameter } from '../statement.ts'

/**
 * Each table gives up its oldest rows by one statement, found in an index by their time: what a call costs depends on its
 * limit, not on how much is stored. Every statement is whole by itself, so that a call may be cut off between any two. Of the
 * caller's clock and the database's the one that is behind counts.
 */
export function createPurgeStore({ query, engine, run }: Database): PurgeStore {
  const clock = sql.raw(engine.types.now)
  const statements = removable.map(({ table, key, time, keptFor }) =>
    compileSql(query, (p: Parameter<'issuer' | 'now' | 'limit'>) => {
      const order = sql.raw(time)
      // Found out once, whatever the number of rows. A server whose clock is ahead would remove what the others still need.
      const now = sql`(select case when ${p('now')} < ${clock} then ${p('now')} else ${clock} end)`
      const condition = sql`issuer = ${p('issuer')} and ${order} <= ${now} - ${sql.lit(keptFor)}`
      return engine.deleteBatch({ table, key: ['issuer', ...key], condition, order, limit: sql`${p('limit')}` })
    }),
  )

  return {
    async purgeExpired({ now, limit }) {
      let removed = 0
      for (const statement of statements) {
        const rows = await run(statement, { now, limit: limit - removed })
        removed += rows.length
        // What else may go is not known: the next call finds out.
        if (removed >= limit) return { removed, done: false }
      }
      return { removed, done: true }
    },
  }
}

/** What goes once a time has come. A revoked grant goes at once: nothing that was issued under it is honoured without it. */
const removable: readonly Removable[] = [
  { table: 'mintmark_codes', key: ['digest'], time: 'expires_at', keptFor: 0 },
  { table: 'mintmark_interactions', key: ['digest'], time: 'expires_at', keptFor: 0 },
  { table: 'mintmark_claims', key: ['purpose', 'value_digest'], time: 'expires_at', keptFor: 0 },
  { table: 'mintmark_opaque_tokens', key: ['digest'], time: 'expires_at', keptFor: 0 },
  { table: 'mintmark_families', key: ['family_id'], time: 'expires_at', keptFor: 0 },
  {
    table: 'mintmark_sessions',
    key: ['digest'],
    time: 'CASE WHEN idle_expires_at < expires_at THEN idle_expires_at ELSE expires_at END',
    keptFor: 0,
  },
  { table: 'mintmark_logs', key: ['entry_id'], time: 'expires_at', keptFor: 0 },
  { table: 'mintmark_grants', key: ['grant_id'], time: 'revoked_at', keptFor: 0 },
  { table: 'mintmark_endings', key: ['position'], time: 'ended_at', keptFor: endingsKeptFor },
]

interface Removable {
  readonly table: string
  /** Without the issuer. */
  readonly key: readonly string[]
  readonly time: string
  /** For how many seconds after that time. */
  readonly keptFor: number
}
