import { untilSettled, type IdentityProviderStore } from '@mintmark/storage-interface'
import { createColumnReader, joinedTable, json } from '../row.ts'
import type { Database } from '../database.ts'
import { identityProviderColumns, identityProviderReader, identityProviderRow } from '../rows/identity-provider-row.ts'
import { isUseNews, type SecretUses } from '../rows/secrets-json.ts'
import { compileStatement, parameters, type Parameter } from '../statement.ts'

export function createIdentityProviderStore({ query, engine, run }: Database): IdentityProviderStore {
  const statements = identityProviderStatements({ query, engine })
  const columns = createColumnReader(engine)
  const take = engine.joined.take(table)
  const read = identityProviderReader(columns)

  return {
    async insert(provider) {
      const [row] = await run(statements.insert, identityProviderRow(provider))
      return { outcome: row === undefined ? 'taken' : 'inserted' }
    },

    async find(providerId) {
      const [row] = await run(statements.find, { provider_id: providerId })
      return row === undefined ? undefined : read(take(row))
    },

    async list({ after, limit }) {
      // No identifier is empty: every one is behind that.
      const rows = await run(statements.list, { after: after ?? '', limit })
      return rows.map((row) => read(take(row)))
    },

    async compareAndSwap(provider, version) {
      return untilSettled(async () => {
        const [swapped] = await run(statements.swap, { ...identityProviderRow(provider), version })
        if (swapped !== undefined) return { outcome: 'swapped', record: read(take(swapped)) }

        const [current] = await run(statements.find, { provider_id: provider.providerId })
        if (current === undefined) return { outcome: 'absent' }
        return columns.integer(take(current), 'version') === version ? undefined : { outcome: 'conflict' }
      })
    },

    async remove(providerId, now) {
      const [row] = await run(statements.remove, { provider_id: providerId, nothing: json([]), unused: json({}), now })
      return { outcome: row === undefined ? 'absent' : 'removed' }
    },

    async touchSecret(providerId, digest, now) {
      const [row] = await run(statements.find, { provider_id: providerId })
      if (row === undefined || !isUseNews(columns.json(take(row), 'secret_uses') as SecretUses, digest, now)) return

      await run(statements.noteSecretUse, { provider_id: providerId, use: json({ [digest]: now }) })
    },
  }
}

function identityProviderStatements({ query, engine }: Pick<Database, 'query' | 'engine'>) {
  const changed = identityProviderColumns.filter(
    (column) => column !== 'issuer' && column !== 'provider_id' && column !== 'version' && column !== 'removed_at',
  )
  const present = (p: Parameter<'issuer' | 'provider_id'>) =>
    query
      .updateTable('mintmark_identity_providers')
      .where('issuer', '=', p('issuer'))
      .where('provider_id', '=', p('provider_id'))
      .where('removed_at', 'is', null)

  return {
    insert: compileStatement((p: Parameter<(typeof identityProviderColumns)[number]>) =>
      query
        .insertInto('mintmark_identity_providers')
        .values(parameters(p, identityProviderColumns))
        .onConflict((conflict) => conflict.doNothing())
        .returning('version'),
    ),

    find: compileStatement((p: Parameter<'issuer' | 'provider_id'>) =>
      query
        .selectFrom('mintmark_identity_providers')
        .select(engine.joined.select(table))
        .where('issuer', '=', p('issuer'))
        .where('provider_id', '=', p('provider_id'))
        .where('removed_at', 'is', null),
    ),

    list: compileStatement((p: Parameter<'issuer' | 'after' | 'limit'>) =>
      query
        .selectFrom('mintmark_identity_providers')
        .select(engine.joined.select(table))
        .where('issuer', '=', p('issuer'))
        .where('provider_id', '>', p('after'))
        .where('removed_at', 'is', null)
        .orderBy('provider_id')
        .limit((limit) => limit.val(p('limit') as number)),
    ),

    swap: compileStatement((p: Parameter<(typeof identityProviderColumns)[number]>) =>
      present(p)
        .set(parameters(p, changed))
        .set((set) => ({ version: set('version', '+', 1) }))
        .where('version', '=', p('version'))
        .returning(engine.joined.select(table)),
    ),

    remove: compileStatement((p: Parameter<'issuer' | 'provider_id' | 'nothing' | 'unused' | 'now'>) =>
      present(p)
        .set((set) => ({
          secrets: p('nothing'),
          secret_uses: p('unused'),
          client_ids: p('nothing'),
          version: set('version', '+', 1),
          removed_at: p('now'),
        }))
        .returning('version'),
    ),

    noteSecretUse: compileStatement((p: Parameter<'issuer' | 'provider_id' | 'use'>) =>
      present(p).set((set) => ({ secret_uses: engine.mergeJson(set.ref('secret_uses'), set.val(p('use'))) })),
    ),
  }
}

const table = joinedTable('mintmark_identity_providers', identityProviderColumns)
