import type { SigningKeyStore } from '@mintmark/storage-interface/stores'
import { signingKeys } from '@mintmark/storage-interface/records'
import { type Database, compileStatement, type Parameter } from '../database.ts'
import { createColumnReader } from '../row.ts'
import { recordTable, type RecordTable } from '../record-table.ts'

export function createSigningKeyStore(database: Database): SigningKeyStore {
  const { run, engine } = database
  const columns = createColumnReader(engine)
  const table = recordTable(database, signingKeys)
  const statements = signingKeyStatements(database, table)

  return {
    async insert(key) {
      return { outcome: (await table.insert(key)) ? 'inserted' : 'taken' }
    },

    async list() {
      const rows = await run(statements.list, {})
      return rows.map(table.read)
    },

    async drop({ keyId, droppedAt, rowMac }) {
      const values = { key_id: keyId, dropped_at: droppedAt, row_mac: rowMac ?? null }
      const [dropped] = await run(statements.drop, values)
      if (dropped !== undefined) return { outcome: 'revoked' }
      // If the key exists, it was dropped earlier: a dropped key never becomes valid again.
      const [current] = await run(statements.find, { key_id: keyId })
      return { outcome: current === undefined ? 'absent' : 'unchanged' }
    },

    async otherIssuers() {
      const [row] = await run(statements.otherIssuers, {})
      if (row === undefined) return []
      return ['before', 'after'].flatMap((name) => columns.optionalText(row, name) ?? [])
    },

    async remove(keyId) {
      const [removed] = await run(statements.remove, { key_id: keyId })
      return { outcome: removed === undefined ? 'absent' : 'removed' }
    },
  }
}

function signingKeyStatements({ query }: Pick<Database, 'query'>, table: RecordTable<typeof signingKeys>) {
  return {
    list: compileStatement((p: Parameter<'issuer'>) =>
      query
        .selectFrom('mintmark_signing_keys')
        .select(table.selection)
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

    drop: compileStatement((p: Parameter<'issuer' | 'key_id' | 'dropped_at' | 'row_mac'>) =>
      query
        .updateTable('mintmark_signing_keys')
        .set({ dropped_at: p('dropped_at'), row_mac: p('row_mac') })
        .where('issuer', '=', p('issuer'))
        .where('key_id', '=', p('key_id'))
        .where('dropped_at', 'is', null)
        .returning('key_id'),
    ),

    /** The neighbours in the index: their number does not matter, however many issuers there are. */
    otherIssuers: compileStatement((p: Parameter<'issuer'>) =>
      query.selectNoFrom((select) => [
        select
          .selectFrom('mintmark_signing_keys')
          .select(({ fn }) => fn.max('issuer').as('issuer'))
          .where('issuer', '<', p('issuer'))
          .as('before'),
        select
          .selectFrom('mintmark_signing_keys')
          .select(({ fn }) => fn.min('issuer').as('issuer'))
          .where('issuer', '>', p('issuer'))
          .as('after'),
      ]),
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
