import type { ReplayStore } from '@mintmark/storage-interface'
import type { Database } from '../database.ts'
import { replayColumns, replayedValueDigest } from '../rows/replay-row.ts'
import { compileStatement, parameters, type Parameter } from '../statement.ts'

export function createReplayStore({ query, run }: Database): ReplayStore {
  // The first inserts; after expiry one of those who come updates; everybody else gets no row.
  const claim = compileStatement((p: Parameter<(typeof replayColumns)[number] | 'now'>) =>
    query
      .insertInto('mintmark_claims')
      .values(parameters(p, replayColumns))
      .onConflict((conflict) =>
        conflict
          .columns(['issuer', 'purpose', 'value_digest'])
          .doUpdateSet((set) => ({ expires_at: set.ref('excluded.expires_at') }))
          .where('mintmark_claims.expires_at', '<=', p('now')),
      )
      .returning('expires_at'),
  )

  return {
    async markUsed({ purpose, value, expiresAt, now }) {
      const [row] = await run(claim, { purpose, value_digest: replayedValueDigest(value), expires_at: expiresAt, now })
      return { outcome: row === undefined ? 'seen' : 'fresh' }
    },
  }
}
