import {
  clientId,
  epochSeconds,
  familyId,
  grantId,
  keyId,
  type RevocationRecord,
  sessionId,
  userId,
} from '@mintmark/storage-interface'
import type { Revocation, RevocationStore } from '@mintmark/storage-interface/stores'
import { sql, type Expression } from 'kysely'
import { type Database, compileSql, compileLookup, compileStatement, type Parameter } from '../database.ts'
import type { SqlRow } from '../dialect.ts'
import { createColumnReader, type ColumnReader } from '../row.ts'
import { usedValueDigest } from './replay-store.ts'

/**
 * Creates the store of revocations. Database triggers write the list of revocations. An individually revoked
 * token is stored in the table of replay marks, with a purpose of its own.
 */
export function createRevocationStore({ query, engine, run }: Database): RevocationStore {
  const statements = revocationStatements(query)
  const columns = createColumnReader(engine)
  const read = revocationReader(columns)

  return {
    async revokeToken({ tokenId, expiresAt, now }) {
      const value_digest = usedValueDigest(tokenId)
      await run(statements.revokeToken, {
        purpose: revokedToken,
        value_digest,
        expires_at: expiresAt,
        value: tokenId,
        marked_at: now,
      })
    },

    async isTokenRevoked(tokenId, now) {
      const value_digest = usedValueDigest(tokenId)
      const rows = await run(statements.findToken, { purpose: revokedToken, value_digest, now })
      return rows.length > 0
    },

    async list({ from, revokedSince, limit }) {
      const values = { revoked_since: revokedSince, limit }
      const rows =
        from === undefined
          ? await run(statements.listFirst, values)
          : await run(statements.listFrom, { ...values, from })
      const [first] = rows
      const present = rows.filter((row) => columns.has(row, 'position'))
      return {
        // A join returns rows in no particular order.
        records: present.map(read).toSorted((one, other) => one.position - other.position),
        completeSince: epochSeconds(first === undefined ? 0 : columns.integer(first, 'complete_since')),
      }
    },
  }
}

const revocationReader =
  (read: ColumnReader) =>
  (row: SqlRow): RevocationRecord => ({
    position: read.integer(row, 'position'),
    revocation: readRevocation(read, row),
    revokedAt: epochSeconds(read.integer(row, 'at')),
  })

function readRevocation(read: ColumnReader, row: SqlRow): Revocation {
  const name = read.text(row, 'name')
  const kind = read.text(row, 'kind')
  switch (kind) {
    case 'token':
      return { kind, tokenId: name }
    case 'family':
      return { kind, familyId: familyId(name) }
    case 'grant':
      return { kind, grantId: grantId(name) }
    case 'session':
      return { kind, sessionId: sessionId(name) }
    case 'generation':
      return { kind, userId: userId(name), generation: read.integer(row, 'generation') }
    case 'account':
      return { kind, userId: userId(name) }
    case 'key':
      return { kind, keyId: keyId(name) }
    case 'client':
    case 'client_in_use':
      return { kind, clientId: clientId(name) }
    default:
      throw new Error(`Unknown kind of revocation: ${kind}`)
  }
}

/** The purpose of the replay mark of a revoked token. */
export const revokedToken = 'revoked_jti'

function revocationStatements(query: Database['query']) {
  return {
    revokeToken: compileStatement(
      (p: Parameter<'issuer' | 'purpose' | 'value_digest' | 'expires_at' | 'value' | 'marked_at'>) =>
        query
          .insertInto('mintmark_replays')
          .values({
            issuer: p('issuer'),
            purpose: p('purpose'),
            value_digest: p('value_digest'),
            expires_at: p('expires_at'),
            value: p('value'),
            marked_at: p('marked_at'),
          })
          .onConflict((conflict) => conflict.doNothing()),
    ),

    findToken: compileLookup((p: Parameter<FindParameter>) => findRevokedToken(query, p)),

    listFrom: compileSql(query, (p: Parameter<PageParameter | 'from'>) => pageQuery(sql`${p('from')}`, p)),

    // The first recent entry is found by its time, so the number of older entries does not matter. The plus in
    // `+position` keeps the planner from using the index by position.
    listFirst: compileSql(query, (p: Parameter<PageParameter>) =>
      pageQuery(
        sql`(select min(+position) from mintmark_revocations where issuer = ${p('issuer')} and at >= ${p('revoked_since')})`,
        p,
      ),
    ),
  }
}

type FindParameter = 'issuer' | 'purpose' | 'value_digest' | 'now'

/** Returns the query that finds a row if the token was revoked and has not expired. */
export const findRevokedToken = (query: Database['query'], p: Parameter<FindParameter>) =>
  query
    .selectFrom('mintmark_replays')
    .select('expires_at')
    .where('issuer', '=', p('issuer'))
    .where('purpose', '=', p('purpose'))
    .where('value_digest', '=', p('value_digest'))
    .where('expires_at', '>', p('now'))

type PageParameter = 'issuer' | 'revoked_since' | 'limit'

/**
 * Builds the query for a page of the list. It returns one row even if there are no entries, because the row says since
 * when the list is complete. The plus in `+at` makes the planner use the index by position.
 */
const pageQuery = (from: Expression<unknown>, p: Parameter<PageParameter>) => sql`select place.complete_since, page.*
  from mintmark_revocation_positions as place
  left join (
    select position, kind, name, generation, at from mintmark_revocations
    where issuer = ${p('issuer')} and position >= ${from} and +at >= ${p('revoked_since')}
    order by position limit ${p('limit')}
  ) as page on true
  where place.issuer = ${p('issuer')}`
