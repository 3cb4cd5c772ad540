import { webhooks } from '@mintmark/storage-interface/records'
import { untilSettled, type WebhookStore } from '@mintmark/storage-interface/stores'
import { compileStatement, type Database, type Parameter } from '../database.ts'
import { encodeMembers, recordTable, type RecordTable } from '../record-table.ts'

export function createWebhookStore(database: Database): WebhookStore {
  const { engine, run } = database
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
        const encoded = encodeMembers(changeableFields, webhook, engine)
        const values = Object.fromEntries(
          changeableColumns.map((column) => [column, encoded[column] ?? null]),
        ) as Record<(typeof changeableColumns)[number], string | null>
        const [row] = await run(statements.swap, { ...values, webhook_id: webhook.webhookId, version })
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

const { webhookId: _, ...changeableFields } = webhooks.fields

const changeableColumns = [
  'url',
  'types',
  'includes_user',
  'secrets',
  'starts_after',
  'replays',
  'disabled_at',
  'updated_at',
] as const

function webhookStatements({ query }: Pick<Database, 'query'>, table: RecordTable<typeof webhooks>) {
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
    swap: compileStatement((p: Parameter<'issuer' | 'webhook_id' | 'version' | (typeof changeableColumns)[number]>) =>
      query
        .updateTable('mintmark_webhooks')
        .set((set) => ({
          ...Object.fromEntries(changeableColumns.map((column) => [column, p(column)])),
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
