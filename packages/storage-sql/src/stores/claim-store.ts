import type { ClaimStore } from '@mintmark/storage-interface'
import type { Database } from '../database.ts'
import { claimColumns, claimedValueDigest } from '../rows/claim-row.ts'
import { compileStatement, parameters, type Parameter } from '../statement.ts'

export function createClaimStore({ query, run }: Database): ClaimStore {
  // The first inserts; after expiry one of those who come updates; everybody else gets no row.
  const claim = compileStatement((p: Parameter<(typeof claimColumns)[number] | 'now'>) =>
    query
      .insertInto('mintmark_claims')
      .values(parameters(p, claimColumns))
      .onConflict((conflict) =>
        conflict
          .columns(['issuer', 'purpose', 'value_digest'])
          .doUpdateSet((set) => ({ expires_at: set.ref('excluded.expires_at') }))
          .where('mintmark_claims.expires_at', '<=', p('now')),
      )
      .returning('expires_at'),
  )

  return {
    async claim({ purpose, value, expiresAt, now }) {
      const [row] = await run(claim, { purpose, value_digest: claimedValueDigest(value), expires_at: expiresAt, now })
      return { outcome: row === undefined ? 'seen' : 'fresh' }
    },
  }
}
