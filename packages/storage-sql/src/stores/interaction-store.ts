import { untilSettled, type InteractionStore } from '@mintmark/storage-interface/stores'
import { interactions } from '@mintmark/storage-interface/records'
import { createColumnReader } from '../row.ts'
import { type Database, compileLookup, compileStatement, type Parameter } from '../database.ts'
import type { SqlRow } from '../dialect.ts'
import { recordTable, type RecordTable } from '../record-table.ts'

export function createInteractionStore(database: Database): InteractionStore {
  const { engine, run } = database
  const table = recordTable(database, interactions)
  const statements = interactionStatements(database, table)
  const columns = createColumnReader(engine)
  const isConsumed = (row: SqlRow): boolean => columns.has(table.take(row), 'consumed_at')

  return {
    async insert(interaction) {
      return { outcome: (await table.insert(interaction)) ? 'inserted' : 'taken' }
    },

    async find(digest, browserDigest, now) {
      const [row] = await run(statements.find, { digest, browser_digest: browserDigest, now })
      if (row === undefined) return undefined
      return isConsumed(row) ? 'consumed' : table.read(row)
    },

    async recordLogin({ digest, browserDigest, login, version, now }) {
      const visit = { digest, browser_digest: browserDigest, now }
      return untilSettled(async () => {
        const [swapped] = await run(statements.recordLogin, { ...visit, login: JSON.stringify(login), version })
        if (swapped !== undefined) return { outcome: 'swapped', record: table.read(swapped) }

        const [row] = await run(statements.find, visit)
        if (row === undefined || isConsumed(row)) return { outcome: 'absent' }
        return table.read(row).version === version ? undefined : { outcome: 'conflict' }
      })
    },

    async consume(digest, browserDigest, now) {
      const visit = { digest, browser_digest: browserDigest, now }
      return untilSettled(async () => {
        const [won] = await run(statements.consume, visit)
        if (won !== undefined) return { outcome: 'won', record: table.read(won) }

        const [row] = await run(statements.find, visit)
        if (row === undefined) return { outcome: 'absent' }
        return isConsumed(row) ? { outcome: 'replayed', record: table.read(row) } : undefined
      })
    },
  }
}

type Visit = 'issuer' | 'digest' | 'browser_digest' | 'now'

function interactionStatements({ query }: Pick<Database, 'query'>, table: RecordTable<typeof interactions>) {
  /** Changes an interaction of this browser that has neither expired nor been completed. */
  const open = (p: Parameter<Visit>) =>
    query
      .updateTable('mintmark_interactions')
      .where('issuer', '=', p('issuer'))
      .where('digest', '=', p('digest'))
      .where('browser_digest', '=', p('browser_digest'))
      .where('expires_at', '>', p('now'))
      .where('consumed_at', 'is', null)
      .returning(table.selection)

  return {
    find: compileLookup((p: Parameter<Visit>) =>
      query
        .selectFrom('mintmark_interactions')
        .select(table.selection)
        .where('issuer', '=', p('issuer'))
        .where('digest', '=', p('digest'))
        .where('browser_digest', '=', p('browser_digest'))
        .where('expires_at', '>', p('now')),
    ),

    recordLogin: compileStatement((p: Parameter<Visit | 'login' | 'version'>) =>
      open(p)
        .set((set) => ({ login: p('login'), version: set('version', '+', 1) }))
        .where('version', '=', p('version')),
    ),

    consume: compileStatement((p: Parameter<Visit>) => open(p).set({ consumed_at: p('now') })),
  }
}
