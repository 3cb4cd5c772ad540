import { hash } from 'node:crypto'
import type { ReplayStore } from '@mintmark/storage-interface/stores'
import { sql } from 'kysely'
import { type Database, compileSql, type Parameter } from '../database.ts'
import { UniqueViolationError } from '../dialect.ts'
import { replayColumns } from '../tables.ts'

export function createReplayStore(database: Database): ReplayStore {
  const { engine, run } = database
  const statements = replayStatements(database)

  /** The first caller inserts. After expiry one caller updates. Every other caller changes nothing. */
  async function claim(mark: Mark): Promise<boolean> {
    if (engine.reportsUpserts) return (await run(statements.claim, mark)).length > 0
    try {
      await run(statements.insert, mark)
      return true
    } catch (error) {
      if (!(error instanceof UniqueViolationError)) throw error
      return (await run(statements.renew, mark)).length > 0
    }
  }

  return {
    async markUsed({ purpose, value, expiresAt, now }) {
      const mark = { purpose, value_digest: usedValueDigest(value), expires_at: expiresAt, now }
      return { outcome: (await claim(mark)) ? 'fresh' : 'seen' }
    },
  }
}

type MarkColumn = Exclude<(typeof replayColumns)[number], 'issuer'>

type Mark = Readonly<Record<MarkColumn | 'now', string | number>>

const values = (p: Parameter<MarkColumn | 'issuer'>) => sql`${sql.join(replayColumns.map((column) => p(column)))}`

function replayStatements({ query, engine }: Pick<Database, 'query' | 'engine'>) {
  const table = 'mintmark_replays'
  return {
    claim: compileSql(query, (p: Parameter<MarkColumn | 'issuer' | 'now'>) =>
      engine.upsert({
        table,
        columns: replayColumns,
        values: values(p),
        key: ['issuer', 'purpose', 'value_digest'],
        set: { expires_at: engine.excluded('expires_at') },
        where: sql`mintmark_replays.expires_at <= ${p('now')}`,
      }),
    ),

    insert: compileSql(
      query,
      (p: Parameter<MarkColumn | 'issuer'>) =>
        sql`insert into mintmark_replays (${sql.join(replayColumns.map((column) => sql.ref(column)))}) values (${values(p)})`,
    ),

    renew: compileSql(query, (p: Parameter<MarkColumn | 'issuer' | 'now'>) =>
      engine.changeRows({
        table,
        set: sql`expires_at = ${p('expires_at')}`,
        where: sql`issuer = ${p('issuer')} and purpose = ${p('purpose')} and value_digest = ${p('value_digest')} and expires_at <= ${p('now')}`,
        returning: sql`1 as written`,
      }),
    ),
  }
}

/** Returns the key of a used value, which may have any length and content: its SHA-256 in base64url. */
export const usedValueDigest = (value: string): string => hash('sha256', value, 'base64url')
