import { webhooks } from '@mintmark/storage-interface/records'
import { untilSettled, type WebhookStore } from '@mintmark/storage-interface/stores'
import { compileStatement, type Database, type Parameter } from '../database.ts'
import { recordTable, type RecordTable } from '../record-table.ts'

export function createWebhookStore(database: Database): WebhookStore {
  const { run } = database
  const table = recordTable(database, webhooks)
  const statements = webhookStatements(database, table)

  return {
    async insert(webhook) {
      return { outcome: (await table.insert(webhook)) ? 'inserted' : 'taken' }
    },

    async find(webhookId) {
      const [row] = await run(statements.find, { webhook_id: webhookId })
      return row && table.read(row)
    },

    async list() {
      return (await run(statements.list, {})).map(table.read)
    },

    compareAndSwap: (webhook, version) =>
      untilSettled(async () => {
        const [row] = await run(statements.swap, { ...table.toRow(webhook), version })
        if (row !== undefined) return { outcome: 'swapped', record: table.read(row) }
        const [found] = await run(statements.find, { webhook_id: webhook.webhookId })
        if (found === undefined) return { outcome: 'absent' }
        return table.read(found).version === version ? undefined : { outcome: 'conflict' }
      }),

    async remove(webhookId) {
      const rows = await run(statements.remove, { webhook_id: webhookId })
      return { outcome: rows.length > 0 ? 'removed' : 'absent' }
    },
  }
}

/** A change writes all other columns. */
const fixedColumns: ReadonlySet<string> = new Set(['issuer', 'webhook_id', 'version', 'created_at'])

function webhookStatements({ query }: Pick<Database, 'query'>, table: RecordTable<typeof webhooks>) {
  const columns = table.columns.filter((column) => !fixedColumns.has(column))
  return {
    find: compileStatement((p: Parameter<'issuer' | 'webhook_id'>) =>
      query
        .selectFrom('mintmark_webhooks')
        .select(table.selection)
        .where('issuer', '=', p('issuer'))
        .where('webhook_id', '=', p('webhook_id')),
    ),
    list: compileStatement((p: Parameter<'issuer'>) =>
      query
        .selectFrom('mintmark_webhooks')
        .select(table.selection)
        .where('issuer', '=', p('issuer'))
        .orderBy('webhook_id'),
    ),
    swap: compileStatement((p: Parameter<string>) =>
      query
        .updateTable('mintmark_webhooks')
        .set((set) => ({
          ...Object.fromEntries(columns.map((column) => [column, p(column)])),
          version: set('version', '+', 1),
        }))
        .where('issuer', '=', p('issuer'))
        .where('webhook_id', '=', p('webhook_id'))
        .where('version', '=', p('version'))
        .returning(table.selection),
    ),
    remove: compileStatement((p: Parameter<'issuer' | 'webhook_id'>) =>
      query
        .deleteFrom('mintmark_webhooks')
        .where('issuer', '=', p('issuer'))
        .where('webhook_id', '=', p('webhook_id'))
        .returning('webhook_id'),
    ),
  }
}
