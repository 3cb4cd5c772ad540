import {
  retryWindowsInTotal,
  type RotateOutcome,
  type RotateRequest,
  type TokenFamilyStore,
  untilSettled,
  type AuthorizationCodeStore,
} from '@mintmark/storage-interface/stores'
import { families, codes } from '@mintmark/storage-interface/records'
import { sql } from 'kysely'
import { type Database, compileLookup, compileStatement, type Parameter } from '../database.ts'
import type { SqlValue } from '../dialect.ts'
import { recordTable, type RecordTable } from '../record-table.ts'
import { createColumnReader } from '../row.ts'

/** Authorization codes, each of which can be redeemed once. */
export function createCodeStore(database: Database): AuthorizationCodeStore {
  const { engine, run } = database
  const table = recordTable(database, codes)
  const statements = codeStatements(database, table)
  const columns = createColumnReader(engine)

  return {
    async insert(code) {
      return { outcome: (await table.insert(code, { ownKey: code.digest })) ? 'inserted' : 'taken' }
    },

    async find(digest, clientId, now) {
      const [row] = await run(statements.find, { digest, client_id: clientId, now })
      return row === undefined ? undefined : table.read(row)
    },

    async consume(digest, clientId, now) {
      const presentation = { digest, client_id: clientId, now }
      return untilSettled(async () => {
        const [won] = await run(statements.consume, presentation, { ownKey: digest })
        if (won !== undefined) return { outcome: 'won', record: table.read(won) }

        const [found] = await run(statements.find, presentation)
        if (found === undefined) return { outcome: 'absent' }
        const isConsumed = columns.has(table.take(found), 'consumed_at')
        return isConsumed ? { outcome: 'replayed', record: table.read(found) } : undefined
      })
    },
  }
}

function codeStatements({ query }: Pick<Database, 'query'>, table: RecordTable<typeof codes>) {
  return {
    find: compileLookup((p: Parameter<'issuer' | 'digest' | 'client_id' | 'now'>) =>
      query
        .selectFrom('mintmark_codes')
        .select(table.selection)
        .where('issuer', '=', p('issuer'))
        .where('digest', '=', p('digest'))
        .where('client_id', '=', p('client_id'))
        .where('expires_at', '>', p('now')),
    ),

    // RFC 6749 §10.5: only one presentation meets `consumed_at IS NULL`, because the engine lets one writer at a time
    // change a row.
    consume: compileStatement((p: Parameter<'issuer' | 'digest' | 'client_id' | 'now'>) =>
      query
        .updateTable('mintmark_codes')
        .set({ consumed_at: p('now') })
        .where('issuer', '=', p('issuer'))
        .where('digest', '=', p('digest'))
        .where('client_id', '=', p('client_id'))
        .where('expires_at', '>', p('now'))
        .where('consumed_at', 'is', null)
        .returning(table.selection),
    ),
  }
}

/** Creates the store of token families. */
export function createFamilyStore(database: Database): TokenFamilyStore {
  const { engine, run } = database
  const table = recordTable(database, families)
  const statements = familyStatements(database, table)
  const columns = createColumnReader(engine)

  /**
   * One statement decides each outcome: an update that checks its own condition decides `rotated`, `retried` and
   * `reused`, a read decides `absent`. If none applies, the row has changed in between, and the rotation is
   * attempted again.
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
    if (rotated !== undefined) return { outcome: 'rotated', record: table.read(rotated) }

    // A window that started at `closed_at` or earlier has closed, and a token that was rotated at `ended_at` or earlier
    // is not accepted again. A window of 0 never applies, whatever the clocks say.
    const { now, retryWindow } = request
    const retry = {
      ...presentation,
      closed_at: retryWindow > 0 ? now - retryWindow : Number.MAX_SAFE_INTEGER,
      ended_at: now - retryWindow * retryWindowsInTotal,
    }
    const [retried] = await run(statements.retry, retry)
    if (retried !== undefined) return { outcome: 'retried', record: table.read(retried) }

    const [current] = await run(statements.findRotatable, presentation)
    if (current === undefined) return { outcome: 'absent' }

    const [reused] = await run(statements.revokeReused, retry)
    return reused === undefined ? undefined : { outcome: 'reused', record: table.read(reused) }
  }

  return {
    async insert(family) {
      return { outcome: (await table.insert(family, { ownKey: family.familyId })) ? 'inserted' : 'revoked' }
    },

    rotate: (request) => untilSettled(() => attemptRotation(request)),

    async revoke(familyId, now) {
      return untilSettled(async () => {
        const [revoked] = await run(statements.revoke, { family_id: familyId, now })
        if (revoked !== undefined) return { outcome: 'revoked' }

        const [current] = await run(statements.find, { family_id: familyId })
        if (current === undefined) return { outcome: 'absent' }
        return columns.has(current, 'revoked_at') ? { outcome: 'unchanged' } : undefined
      })
    },

    // A single statement with DO UPDATE could name only one unique index: PostgreSQL throws when a family that is written
    // at the same time conflicts on the other index first.
    async insertTombstone(family, now) {
      await untilSettled(async () => {
        if (await table.insert({ ...family, revokedAt: now })) return 'revoked'

        await run(statements.revoke, { family_id: family.familyId, now })
        const [current] = await run(statements.find, { family_id: family.familyId })
        return current !== undefined && columns.has(current, 'revoked_at') ? 'revoked' : undefined
      })
    },
  }
}

type Retry = 'closed_at' | 'ended_at'

function familyStatements(database: Pick<Database, 'query'>, table: RecordTable<typeof families>) {
  const { query } = database
  return {
    ...rotationStatements(database, table),

    find: compileLookup((p: Parameter<'issuer' | 'family_id'>) =>
      query
        .selectFrom('mintmark_families')
        .select('revoked_at')
        .where('issuer', '=', p('issuer'))
        .where('family_id', '=', p('family_id')),
    ),

    revoke: compileStatement((p: Parameter<'issuer' | 'family_id' | 'now'>) =>
      query
        .updateTable('mintmark_families')
        .set({ revoked_at: p('now') })
        .where('issuer', '=', p('issuer'))
        .where('family_id', '=', p('family_id'))
        .where('revoked_at', 'is', null)
        .returning('family_id'),
    ),
  }
}

/** The retry window starts with the rotation, and again with each accepted retry. */
const retryWindowStart = sql<SqlValue>`coalesce(retried_at, rotated_at)`

type Presentation = 'issuer' | 'handle_digest' | 'client_id' | 'presented_digest' | 'now'

function rotationStatements({ query }: Pick<Database, 'query'>, table: RecordTable<typeof families>) {
  const rotatable = (p: Parameter<Presentation>) =>
    query
      .updateTable('mintmark_families')
      .where('issuer', '=', p('issuer'))
      .where('handle_digest', '=', p('handle_digest'))
      .where('client_id', '=', p('client_id'))
      .where('revoked_at', 'is', null)
      .where('refresh_expires_at', '>', p('now'))
      .where('expires_at', '>', p('now'))
      .returning(table.selection)

  return {
    /** The row that a presentation may rotate or revoke. */
    findRotatable: compileLookup((p: Parameter<Presentation>) =>
      query
        .selectFrom('mintmark_families')
        .select(table.selection)
        .where('issuer', '=', p('issuer'))
        .where('handle_digest', '=', p('handle_digest'))
        .where('client_id', '=', p('client_id'))
        .where('revoked_at', 'is', null)
        .where('refresh_expires_at', '>', p('now'))
        .where('expires_at', '>', p('now')),
    ),

    rotate: compileStatement((p: Parameter<Presentation | 'successor_digest' | 'successor_salt' | 'expires_at'>) =>
      rotatable(p)
        .set((set) => ({
          previous_digest: set.ref('current_digest'),
          current_digest: p('successor_digest'),
          successor_salt: p('successor_salt'),
          rotated_at: p('now'),
          retried_at: null,
          refresh_expires_at: p('expires_at'),
        }))
        .where('current_digest', '=', p('presented_digest')),
    ),

    retry: compileStatement((p: Parameter<Presentation | Retry>) =>
      rotatable(p)
        .set({ retried_at: p('now') })
        .where('current_digest', '!=', p('presented_digest'))
        .where('previous_digest', '=', p('presented_digest'))
        .where(retryWindowStart, '>', p('closed_at'))
        .where('rotated_at', '>', p('ended_at')),
    ),

    // RFC 9700 §4.14.2: neither the current token nor, within the window, the previous one. The condition is part of
    // the statement, so that a rotation in between makes it write nothing.
    revokeReused: compileStatement((p: Parameter<Presentation | Retry>) =>
      rotatable(p)
        .set({ revoked_at: p('now') })
        .where('current_digest', '!=', p('presented_digest'))
        .where((where) =>
          where.or([
            where('previous_digest', 'is', null),
            where('previous_digest', '!=', p('presented_digest')),
            where(retryWindowStart, '<=', p('closed_at')),
            where('rotated_at', '<=', p('ended_at')),
          ]),
        ),
    ),
  }
}
