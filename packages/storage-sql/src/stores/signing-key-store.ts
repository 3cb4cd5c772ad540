import type { SigningKeyStore } from '@mintmark/storage-interface'
import { createColumnReader } from '../columns.ts'
import type { Database } from '../database.ts'
import { signingKeyColumns, signingKeyReader, signingKeyRow } from '../rows/signing-key-row.ts'
import { compileStatement, parameters, type Parameter } from '../statement.ts'

export function createSigningKeyStore({ query, engine, run }: Database): SigningKeyStore {
  const read = signingKeyReader(createColumnReader(engine))

  const insert = compileStatement((p: Parameter<(typeof signingKeyColumns)[number]>) =>
    query
      .insertInto('mintmark_signing_keys')
      .values(parameters(p, signingKeyColumns))
      .onConflict((conflict) => conflict.doNothing())
      .returning('key_id'),
  )

  const list = compileStatement((p: Parameter<'issuer'>) =>
    query
      .selectFrom('mintmark_signing_keys')
      .select(signingKeyColumns)
      .where('issuer', '=', p('issuer'))
      .orderBy('created_at'),
  )

  return {
    async insert(key) {
      const [row] = await run(insert, signingKeyRow(key))
      return { outcome: row === undefined ? 'taken' : 'inserted' }
    },

    async list() {
      const rows = await run(list, {})
      return rows.map(read)
    },
  }
}
