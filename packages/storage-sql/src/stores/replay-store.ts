import { hash } from 'node:crypto'
import type { ReplayStore } from '@mintmark/storage-interface/stores'
import { type Database, compileStatement, parameters, type Parameter } from '../database.ts'
import { replayColumns } from '../tables.ts'

export function createReplayStore({ query, run }: Database): ReplayStore {
  // The first caller inserts. After expiry one caller updates. Every other caller gets no row.
  const claim = compileStatement((p: Parameter<(typeof replayColumns)[number] | 'now'>) =>
    query
      .insertInto('mintmark_replays')
      .values(parameters(p, replayColumns))
      .onConflict((conflict) =>
        conflict
          .columns(['issuer', 'purpose', 'value_digest'])
          .doUpdateSet((set) => ({ expires_at: set.ref('excluded.expires_at') }))
          .where('mintmark_replays.expires_at', '<=', p('now')),
      )
      .returning('expires_at'),
  )

  return {
    async markUsed({ purpose, value, expiresAt, now }) {
      const [row] = await run(claim, { purpose, value_digest: usedValueDigest(value), expires_at: expiresAt, now })
      return { outcome: row === undefined ? 'seen' : 'fresh' }
    },
  }
}

/** Returns the key of a used value, which may have any length and content: its SHA-256 in base64url. */
export const usedValueDigest = (value: string): string => hash('sha256', value, 'base64url')
