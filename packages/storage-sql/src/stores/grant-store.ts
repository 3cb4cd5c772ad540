import { untilSettled, type GrantStore } from '@mintmark/storage-interface'
import { createColumnReader, joinedTable, json } from '../row.ts'
import type { Database } from '../database.ts'
import { grantColumns, grantReader, grantRow } from '../rows/grant-row.ts'
import { compileStatement, parameters, type Parameter } from '../statement.ts'

export function createGrantStore({ query, engine, run }: Database): GrantStore {
  const statements = grantStatements({ query, engine })
  const columns = createColumnReader(engine)
  const take = engine.joined.take(table)
  const read = grantReader(columns)

  return {
    async insert(grant) {
      const pair = { user_id: grant.userId, client_id: grant.clientId }
      return untilSettled(async () => {
        const [inserted] = await run(statements.insert, grantRow(grant))
        if (inserted !== undefined) return { outcome: 'inserted' }

        const [joining] = await run(statements.findUnrevoked, pair)
        return joining === undefined ? undefined : { outcome: 'taken', record: read(take(joining)) }
      })
    },

    async findUnrevoked(userId, clientId) {
      const [row] = await run(statements.findUnrevoked, { user_id: userId, client_id: clientId })
      return row === undefined ? undefined : read(take(row))
    },

    async replaceScopes({ grantId, scopes, version }) {
      return untilSettled(async () => {
        const [swapped] = await run(statements.replaceScopes, { grant_id: grantId, scopes: json(scopes), version })
        if (swapped !== undefined) return { outcome: 'swapped', record: read(take(swapped)) }

        const [found] = await run(statements.find, { grant_id: grantId })
        const current = found && take(found)
        if (current === undefined || columns.has(current, 'revoked_at')) return { outcome: 'absent' }
        return columns.integer(current, 'version') === version ? undefined : { outcome: 'conflict' }
      })
    },

    async revoke(grantId, now) {
      return untilSettled(async () => {
        const [ended] = await run(statements.revoke, { grant_id: grantId, now })
        if (ended !== undefined) return { outcome: 'ended' }

        const [current] = await run(statements.find, { grant_id: grantId })
        if (current === undefined) return { outcome: 'absent' }
        return columns.has(take(current), 'revoked_at') ? { outcome: 'unchanged' } : undefined
      })
    },

    async listByUser(userId) {
      const rows = await run(statements.listByUser, { user_id: userId })
      return rows.map((row) => read(take(row)))
    },
  }
}

function grantStatements({ query, engine }: Pick<Database, 'query' | 'engine'>) {
  return {
    insert: compileStatement((p: Parameter<(typeof grantColumns)[number]>) =>
      query
        .insertInto('mintmark_grants')
        .values(parameters(p, grantColumns))
        .onConflict((conflict) => conflict.doNothing())
        .returning('grant_id'),
    ),

    find: compileStatement((p: Parameter<'issuer' | 'grant_id'>) =>
      query
        .selectFrom('mintmark_grants')
        .select(engine.joined.select(table))
        .where('issuer', '=', p('issuer'))
        .where('grant_id', '=', p('grant_id')),
    ),

    findUnrevoked: compileStatement((p: Parameter<'issuer' | 'user_id' | 'client_id'>) =>
      query
        .selectFrom('mintmark_grants')
        .select(engine.joined.select(table))
        .where('issuer', '=', p('issuer'))
        .where('user_id', '=', p('user_id'))
        .where('client_id', '=', p('client_id'))
        .where('revoked_at', 'is', null),
    ),

    replaceScopes: compileStatement((p: Parameter<'issuer' | 'grant_id' | 'scopes' | 'version'>) =>
      unrevoked({ query, engine }, p)
        .set((set) => ({ scopes: p('scopes'), version: set('version', '+', 1) }))
        .where('version', '=', p('version')),
    ),

    revoke: compileStatement((p: Parameter<'issuer' | 'grant_id' | 'now'>) =>
      unrevoked({ query, engine }, p).set({ revoked_at: p('now') }),
    ),

    listByUser: compileStatement((p: Parameter<'issuer' | 'user_id'>) =>
      query
        .selectFrom('mintmark_grants')
        .select(engine.joined.select(table))
        .where('issuer', '=', p('issuer'))
        .where('user_id', '=', p('user_id'))
        .where('revoked_at', 'is', null)
        .orderBy('created_at', 'desc'),
    ),
  }
}

const unrevoked = ({ query, engine }: Pick<Database, 'query' | 'engine'>, p: Parameter<'issuer' | 'grant_id'>) =>
  query
    .updateTable('mintmark_grants')
    .where('issuer', '=', p('issuer'))
    .where('grant_id', '=', p('grant_id'))
    .where('revoked_at', 'is', null)
    .returning(engine.joined.select(table))

const table = joinedTable('mintmark_grants', grantColumns)
