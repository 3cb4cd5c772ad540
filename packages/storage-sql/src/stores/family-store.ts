import {
  untilSettled,
  type RotateOutcome,
  type RotateRequest,
  type TokenFamilyStore,
} from '@mintmark/storage-interface'
import { createColumnReader } from '../columns.ts'
import type { Database } from '../database.ts'
import { familyReader, familyRow } from '../rows/family-row.ts'
import { familyStatements, familyTable } from './family-statements.ts'

export function createFamilyStore({ query, engine, run }: Database): TokenFamilyStore {
  const statements = familyStatements({ query, engine })
  const columns = createColumnReader(engine)
  const take = engine.joined.take(familyTable)
  const read = familyReader(columns)

  /**
   * Each answer is decided by one statement, at one moment: `rotated` and `reused` by an update that checks its premise
   * itself, `retried` and `absent` by a read. Where none applies, the row changed in between, and it is looked at again.
   */
  async function attemptRotation(request: RotateRequest): Promise<RotateOutcome | undefined> {
    const presentation = {
      handle_digest: request.handleDigest,
      presented_digest: request.presentedDigest,
      client_id: request.clientId,
      now: request.now,
    }
    const [rotated] = await run(statements.rotate, {
      ...presentation,
      successor_digest: request.successorDigest,
      successor_salt: request.successorSalt,
      expires_at: request.expiresAt,
    })
    if (rotated !== undefined) return { outcome: 'rotated', record: read(take(rotated)) }

    const [current] = await run(statements.findRotatable, presentation)
    if (current === undefined) return { outcome: 'absent' }
    const row = take(current)

    // A token rotated at this time or earlier is past its window; a window of 0 has no inside, whatever the clocks say.
    const closed_at = request.retryWindow > 0 ? request.now - request.retryWindow : Number.MAX_SAFE_INTEGER
    const wasPrevious = columns.optionalText(row, 'previous_digest') === request.presentedDigest
    if (wasPrevious && columns.integer(row, 'rotated_at') > closed_at) return { outcome: 'retried', record: read(row) }

    const [reused] = await run(statements.revokeReused, { ...presentation, closed_at })
    return reused === undefined ? undefined : { outcome: 'reused', record: read(take(reused)) }
  }

  return {
    async insert(family) {
      const [row] = await run(statements.insert, familyRow(family))
      return { outcome: row === undefined ? 'buried' : 'inserted' }
    },

    rotate: (request) => untilSettled(() => attemptRotation(request)),

    async revoke(familyId, now) {
      return untilSettled(async () => {
        const [ended] = await run(statements.revoke, { family_id: familyId, now })
        if (ended !== undefined) return { outcome: 'ended' }

        const [current] = await run(statements.find, { family_id: familyId })
        if (current === undefined) return { outcome: 'absent' }
        return columns.has(current, 'revoked_at') ? { outcome: 'unchanged' } : undefined
      })
    },

    // Not one statement with DO UPDATE: that names one unique index, and PostgreSQL throws when a family that is written at
    // the same moment is met in the other first.
    async insertTombstone(family, now) {
      await untilSettled(async () => {
        const [written] = await run(statements.insert, { ...familyRow(family), revoked_at: now })
        if (written !== undefined) return 'buried'

        const [ended] = await run(statements.revoke, { family_id: family.familyId, now })
        if (ended !== undefined) return 'buried'

        const [current] = await run(statements.find, { family_id: family.familyId })
        return current !== undefined && columns.has(current, 'revoked_at') ? 'buried' : undefined
      })
    },
  }
}
