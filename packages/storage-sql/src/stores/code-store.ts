import { untilSettled, type AuthorizationCodeStore } from '@mintmark/storage-interface'
import { createColumnReader, joinedTable } from '../row.ts'
import type { Database } from '../database.ts'
import { codeColumns, codeReader, codeRow } from '../rows/code-row.ts'
import { compileStatement, parameters, type Parameter } from '../statement.ts'

export function createCodeStore({ query, engine, run }: Database): AuthorizationCodeStore {
  const statements = codeStatements({ query, engine })
  const columns = createColumnReader(engine)
  const take = engine.joined.take(table)
  const read = codeReader(columns)

  return {
    async insert(code) {
      const [row] = await run(statements.insert, codeRow(code))
      return { outcome: row === undefined ? 'taken' : 'inserted' }
    },

    async find(digest, clientId, now) {
      const [row] = await run(statements.find, { digest, client_id: clientId, now })
      return row === undefined ? undefined : read(take(row))
    },

    async consume(digest, clientId, now) {
      const presentation = { digest, client_id: clientId, now }
      return untilSettled(async () => {
        const [won] = await run(statements.consume, presentation)
        if (won !== undefined) return { outcome: 'won', record: read(take(won)) }

        const [found] = await run(statements.find, presentation)
        if (found === undefined) return { outcome: 'absent' }
        const row = take(found)
        return columns.has(row, 'consumed_at') ? { outcome: 'replayed', record: read(row) } : undefined
      })
    },
  }
}

function codeStatements({ query, engine }: Pick<Database, 'query' | 'engine'>) {
  return {
    insert: compileStatement((p: Parameter<(typeof codeColumns)[number]>) =>
      query
        .insertInto('mintmark_codes')
        .values(parameters(p, codeColumns))
        .onConflict((conflict) => conflict.doNothing())
        .returning('digest'),
    ),

    find: compileStatement((p: Parameter<'issuer' | 'digest' | 'client_id' | 'now'>) =>
      query
        .selectFrom('mintmark_codes')
        .select(engine.joined.select(table))
        .where('issuer', '=', p('issuer'))
        .where('digest', '=', p('digest'))
        .where('client_id', '=', p('client_id'))
        .where('expires_at', '>', p('now')),
    ),

    // RFC 6749 §10.5: of all presentations one meets `consumed_at IS NULL`: the engine lets one writer at a time change a row.
    consume: compileStatement((p: Parameter<'issuer' | 'digest' | 'client_id' | 'now'>) =>
      query
        .updateTable('mintmark_codes')
        .set({ consumed_at: p('now') })
        .where('issuer', '=', p('issuer'))
        .where('digest', '=', p('digest'))
        .where('client_id', '=', p('client_id'))
        .where('expires_at', '>', p('now'))
        .where('consumed_at', 'is', null)
        .returning(engine.joined.select(table)),
    ),
  }
}

const table = joinedTable('mintmark_codes', codeColumns)
