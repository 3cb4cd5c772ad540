import type { SigningKeyStore } from '@mintmark/storage-interface'
import { createColumnReader } from '../row.ts'
import type { Database } from '../database.ts'
import { signingKeyColumns, signingKeyReader, signingKeyRow } from '../rows/signing-key-row.ts'
import { compileStatement, parameters, type Parameter } from '../statement.ts'

export function createSigningKeyStore({ query, engine, run }: Database): SigningKeyStore {
  const statements = signingKeyStatements(query)
  const columns = createColumnReader(engine)
  const read = signingKeyReader(columns)

  return {
    async insert(key) {
      const [row] = await run(statements.insert, signingKeyRow(key))
      return { outcome: row === undefined ? 'taken' : 'inserted' }
    },

    async list() {
      const rows = await run(statements.list, {})
      return rows.map(read)
    },

    async drop(keyId, now) {
      const [dropped] = await run(statements.drop, { key_id: keyId, now })
      if (dropped !== undefined) return { outcome: 'ended' }
      // A key that is there and was not dropped now was dropped before: that never changes back.
      const [current] = await run(statements.find, { key_id: keyId })
      return { outcome: current === undefined ? 'absent' : 'unchanged' }
    },

    async remove(keyId) {
      const [removed] = await run(statements.remove, { key_id: keyId })
      return { outcome: removed === undefined ? 'absent' : 'removed' }
    },
  }
}

function signingKeyStatements(query: Database['query']) {
  return {
    insert: compileStatement((p: Parameter<(typeof signingKeyColumns)[number]>) =>
      query
        .insertInto('mintmark_signing_keys')
        .values(parameters(p, signingKeyColumns))
        .onConflict((conflict) => conflict.doNothing())
        .returning('key_id'),
    ),

    list: compileStatement((p: Parameter<'issuer'>) =>
      query
        .selectFrom('mintmark_signing_keys')
        .select(signingKeyColumns)
        .where('issuer', '=', p('issuer'))
        .orderBy('created_at'),
    ),

    find: compileStatement((p: Parameter<'issuer' | 'key_id'>) =>
      query
        .selectFrom('mintmark_signing_keys')
        .select('key_id')
        .where('issuer', '=', p('issuer'))
        .where('key_id', '=', p('key_id')),
    ),

    drop: compileStatement((p: Parameter<'issuer' | 'key_id' | 'now'>) =>
      query
        .updateTable('mintmark_signing_keys')
        .set({ dropped_at: p('now') })
        .where('issuer', '=', p('issuer'))
        .where('key_id', '=', p('key_id'))
        .where('dropped_at', 'is', null)
        .returning('key_id'),
    ),

    remove: compileStatement((p: Parameter<'issuer' | 'key_id'>) =>
      query
        .deleteFrom('mintmark_signing_keys')
        .where('issuer', '=', p('issuer'))
        .where('key_id', '=', p('key_id'))
        .returning('key_id'),
    ),
  }
}
