import { untilSettled, type OpaqueTokenStore } from '@mintmark/storage-interface'
import { createColumnReader } from '../row.ts'
import type { Database } from '../database.ts'
import { opaqueTokenColumns, opaqueTokenReader, opaqueTokenRow } from '../rows/opaque-token-row.ts'
import { compileStatement, parameters, type Parameter } from '../statement.ts'

export function createOpaqueTokenStore({ query, engine, run }: Database): OpaqueTokenStore {
  const statements = opaqueTokenStatements(query)
  const columns = createColumnReader(engine)
  const read = opaqueTokenReader(columns)

  return {
    async insert(token) {
      const [row] = await run(statements.insert, opaqueTokenRow(token))
      return { outcome: row === undefined ? 'taken' : 'inserted' }
    },

    async find(digest, now) {
      const [row] = await run(statements.find, { digest, now })
      return row === undefined ? undefined : read(row)
    },

    async revoke(digest, clientId, now) {
      return untilSettled(async () => {
        const [ended] = await run(statements.revoke, { digest, client_id: clientId, now })
        if (ended !== undefined) return { outcome: 'ended' }

        const [current] = await run(statements.findOwn, { digest, client_id: clientId })
        if (current === undefined) return { outcome: 'absent' }
        return columns.has(current, 'revoked_at') ? { outcome: 'unchanged' } : undefined
      })
    },
  }
}

function opaqueTokenStatements(query: Database['query']) {
  return {
    insert: compileStatement((p: Parameter<(typeof opaqueTokenColumns)[number]>) =>
      query
        .insertInto('mintmark_opaque_tokens')
        .values(parameters(p, opaqueTokenColumns))
        .onConflict((conflict) => conflict.doNothing())
        .returning('digest'),
    ),

    find: compileStatement((p: Parameter<'issuer' | 'digest' | 'now'>) =>
      query
        .selectFrom('mintmark_opaque_tokens')
        .select(opaqueTokenColumns)
        .where('issuer', '=', p('issuer'))
        .where('digest', '=', p('digest'))
        .where('expires_at', '>', p('now'))
        .where('revoked_at', 'is', null),
    ),

    findOwn: compileStatement((p: Parameter<'issuer' | 'digest' | 'client_id'>) =>
      query
        .selectFrom('mintmark_opaque_tokens')
        .select('revoked_at')
        .where('issuer', '=', p('issuer'))
        .where('digest', '=', p('digest'))
        .where('client_id', '=', p('client_id')),
    ),

    // RFC 7009 §2.1: a token is revoked only by the client it was issued to.
    revoke: compileStatement((p: Parameter<'issuer' | 'digest' | 'client_id' | 'now'>) =>
      query
        .updateTable('mintmark_opaque_tokens')
        .set({ revoked_at: p('now') })
        .where('issuer', '=', p('issuer'))
        .where('digest', '=', p('digest'))
        .where('client_id', '=', p('client_id'))
        .where('revoked_at', 'is', null)
        .returning('digest'),
    ),
  }
}
