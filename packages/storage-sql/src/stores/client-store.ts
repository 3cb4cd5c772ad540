import { untilSettled, type ClientStore } from '@mintmark/storage-interface'
import { createColumnReader, joinedTable, json } from '../row.ts'
import type { Database } from '../database.ts'
import { clientColumns, clientReader, clientRow } from '../rows/client-row.ts'
import { isUseNews, type SecretUses } from '../rows/secrets-json.ts'
import { compileStatement, parameters, type Parameter } from '../statement.ts'

export function createClientStore({ query, engine, run }: Database): ClientStore {
  const statements = clientStatements({ query, engine })
  const columns = createColumnReader(engine)
  const take = engine.joined.take(table)
  const read = clientReader(columns)

  return {
    async insert(client) {
      const [row] = await run(statements.insert, clientRow(client, engine))
      return { outcome: row === undefined ? 'taken' : 'inserted' }
    },

    async find(clientId) {
      const [row] = await run(statements.find, { client_id: clientId })
      return row === undefined ? undefined : read(take(row))
    },

    async list({ after, limit }) {
      // No identifier is empty: every one is behind that.
      const rows = await run(statements.list, { after: after ?? '', limit })
      return rows.map((row) => read(take(row)))
    },

    async remove(clientId, now) {
      const [row] = await run(statements.remove, {
        client_id: clientId,
        no_name: '',
        nothing: json([]),
        unused: json({}),
        now,
      })
      return { outcome: row === undefined ? 'absent' : 'removed' }
    },

    async compareAndSwap(client, version) {
      return untilSettled(async () => {
        const [swapped] = await run(statements.swap, { ...clientRow(client, engine), version })
        if (swapped !== undefined) return { outcome: 'swapped', record: read(take(swapped)) }

        const [current] = await run(statements.find, { client_id: client.clientId })
        if (current === undefined) return { outcome: 'absent' }
        return columns.integer(take(current), 'version') === version ? undefined : { outcome: 'conflict' }
      })
    },

    async touchSecret(clientId, digest, now) {
      const [row] = await run(statements.findSecretUses, { client_id: clientId })
      if (row === undefined) return

      if (!isUseNews(columns.json(row, 'secret_uses') as SecretUses, digest, now)) return

      await run(statements.noteSecretUse, { client_id: clientId, use: json({ [digest]: now }) })
    },
  }
}

function clientStatements({ query, engine }: Pick<Database, 'query' | 'engine'>) {
  const changed = clientColumns.filter(
    (column) => column !== 'issuer' && column !== 'client_id' && column !== 'version' && column !== 'removed_at',
  )
  const present = (p: Parameter<'issuer' | 'client_id'>) =>
    query
      .updateTable('mintmark_clients')
      .where('issuer', '=', p('issuer'))
      .where('client_id', '=', p('client_id'))
      .where('removed_at', 'is', null)

  return {
    insert: compileStatement((p: Parameter<(typeof clientColumns)[number]>) =>
      query
        .insertInto('mintmark_clients')
        .values(parameters(p, clientColumns))
        .onConflict((conflict) => conflict.doNothing())
        .returning('version'),
    ),

    find: compileStatement((p: Parameter<'issuer' | 'client_id'>) =>
      query
        .selectFrom('mintmark_clients')
        .select(engine.joined.select(table))
        .where('issuer', '=', p('issuer'))
        .where('client_id', '=', p('client_id'))
        .where('removed_at', 'is', null),
    ),

    list: compileStatement((p: Parameter<'issuer' | 'after' | 'limit'>) =>
      query
        .selectFrom('mintmark_clients')
        .select(engine.joined.select(table))
        .where('issuer', '=', p('issuer'))
        .where('client_id', '>', p('after'))
        .where('removed_at', 'is', null)
        .orderBy('client_id')
        .limit((limit) => limit.val(p('limit') as number)),
    ),

    remove: compileStatement((p: Parameter<'issuer' | 'client_id' | 'no_name' | 'nothing' | 'unused' | 'now'>) =>
      present(p)
        .set((set) => ({
          client_name: p('no_name'),
          secrets: p('nothing'),
          secret_uses: p('unused'),
          jwks: null,
          jwks_uri: null,
          redirect_uris: p('nothing'),
          version: set('version', '+', 1),
          removed_at: p('now'),
        }))
        .returning('version'),
    ),

    swap: compileStatement((p: Parameter<(typeof clientColumns)[number]>) =>
      present(p)
        .set(parameters(p, changed))
        .set((set) => ({ version: set('version', '+', 1) }))
        .where('version', '=', p('version'))
        .returning(engine.joined.select(table)),
    ),

    findSecretUses: compileStatement((p: Parameter<'issuer' | 'client_id'>) =>
      query
        .selectFrom('mintmark_clients')
        .select('secret_uses')
        .where('issuer', '=', p('issuer'))
        .where('client_id', '=', p('client_id'))
        .where('removed_at', 'is', null),
    ),

    noteSecretUse: compileStatement((p: Parameter<'issuer' | 'client_id' | 'use'>) =>
      present(p).set((set) => ({ secret_uses: engine.mergeJson(set.ref('secret_uses'), set.val(p('use'))) })),
    ),
  }
}

const table = joinedTable('mintmark_clients', clientColumns)
