import { untilSettled, type InteractionStore } from '@mintmark/storage-interface'
import { createColumnReader } from '../row.ts'
import type { Database } from '../database.ts'
import { interactionColumns, interactionReader, interactionRow, loginJson } from '../rows/interaction-row.ts'
import { compileStatement, parameters, type Parameter } from '../statement.ts'

export function createInteractionStore({ query, engine, run }: Database): InteractionStore {
  const statements = interactionStatements(query)
  const columns = createColumnReader(engine)
  const read = interactionReader(columns)

  return {
    async insert(interaction) {
      const [row] = await run(statements.insert, interactionRow(interaction))
      return { outcome: row === undefined ? 'taken' : 'inserted' }
    },

    async find(digest, browserDigest, now) {
      const [row] = await run(statements.find, { digest, browser_digest: browserDigest, now })
      return row === undefined || columns.has(row, 'consumed_at') ? undefined : read(row)
    },

    async recordLogin({ digest, browserDigest, login, version, now }) {
      const visit = { digest, browser_digest: browserDigest, now }
      return untilSettled(async () => {
        const [swapped] = await run(statements.recordLogin, { ...visit, login: loginJson(login), version })
        if (swapped !== undefined) return { outcome: 'swapped', record: read(swapped) }

        const [row] = await run(statements.find, visit)
        if (row === undefined || columns.has(row, 'consumed_at')) return { outcome: 'absent' }
        return columns.integer(row, 'version') === version ? undefined : { outcome: 'conflict' }
      })
    },

    async consume(digest, browserDigest, now) {
      const visit = { digest, browser_digest: browserDigest, now }
      return untilSettled(async () => {
        const [won] = await run(statements.consume, visit)
        if (won !== undefined) return { outcome: 'won', record: read(won) }

        const [row] = await run(statements.find, visit)
        if (row === undefined) return { outcome: 'absent' }
        return columns.has(row, 'consumed_at') ? { outcome: 'replayed', record: read(row) } : undefined
      })
    },
  }
}

type Visit = 'issuer' | 'digest' | 'browser_digest' | 'now'

function interactionStatements(query: Database['query']) {
  return {
    insert: compileStatement((p: Parameter<(typeof interactionColumns)[number]>) =>
      query
        .insertInto('mintmark_interactions')
        .values(parameters(p, interactionColumns))
        .onConflict((conflict) => conflict.doNothing())
        .returning('digest'),
    ),

    find: compileStatement((p: Parameter<Visit>) =>
      query
        .selectFrom('mintmark_interactions')
        .select(interactionColumns)
        .where('issuer', '=', p('issuer'))
        .where('digest', '=', p('digest'))
        .where('browser_digest', '=', p('browser_digest'))
        .where('expires_at', '>', p('now')),
    ),

    recordLogin: compileStatement((p: Parameter<Visit | 'login' | 'version'>) =>
      open(query, p)
        .set((set) => ({ login: p('login'), version: set('version', '+', 1) }))
        .where('version', '=', p('version')),
    ),

    consume: compileStatement((p: Parameter<Visit>) => open(query, p).set({ consumed_at: p('now') })),
  }
}

/** Changes an interaction of this browser that has neither expired nor been completed. */
const open = (query: Database['query'], p: Parameter<Visit>) =>
  query
    .updateTable('mintmark_interactions')
    .where('issuer', '=', p('issuer'))
    .where('digest', '=', p('digest'))
    .where('browser_digest', '=', p('browser_digest'))
    .where('expires_at', '>', p('now'))
    .where('consumed_at', 'is', null)
    .returning(interactionColumns)
