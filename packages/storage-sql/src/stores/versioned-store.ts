import type { ClientId, ClientRecord, EpochSeconds } from '@mintmark/storage-interface'
import {
  type ClientStore,
  type IdentityProviderStore,
  type InsertOutcome,
  type ProviderId,
  type SecretDigest,
  type SwapOutcome,
  untilSettled,
} from '@mintmark/storage-interface/stores'
import { clients, identityProviders, type organizations, type RecordOf } from '@mintmark/storage-interface/records'
import { sql, type RawBuilder } from 'kysely'
import { type Database, compileSql, type Parameter } from '../database.ts'
import type { SqlValue } from '../dialect.ts'
import {
  encodeMembers,
  isFirstUseWithinAnHour,
  keyColumnOf,
  tableOf,
  type SecretUses,
  recordTable,
  type RecordTable,
} from '../record-table.ts'
import { createColumnReader, readIfChanged } from '../row.ts'

export const createClientStore = (database: Database): ClientStore => {
  const store = createVersionedStore<typeof clients, ClientId>(database, clients, agentColumns(database))
  return {
    ...store,
    insert: (client) => store.insert(endedAgent(client)),
    touchSecret: createTouchSecret(database, clients),
  }
}

/** Returns a new client as it is stored: an agent is inserted disabled. */
function endedAgent(client: ClientRecord): ClientRecord {
  const { agent, disabledAt } = client
  if (agent === undefined || disabledAt !== undefined) return client
  return { ...client, disabledAt: agent.updatedAt, agent: { ...agent, endedAt: agent.updatedAt } }
}

/**
 * Keeps an agent disabled unless its owner is active and its provider is enabled. The rows are locked, so that a concurrent
 * transaction that ends one of them either is seen here, or sees the agent enabled and disables it.
 */
function agentColumns({ engine }: Database): ChangedColumns {
  const lock = sql.raw(engine.types.lockRows)
  const number = (value: SqlValue) => engine.wholeNumber(sql`${value}`)
  const unlessEnded = (column: 'disabled_at' | 'agent_ended_at') => (p: Parameter<string>) => {
    const owner = sql`select 1 from mintmark_users as owner where owner.issuer = ${p('issuer')}
      and owner.user_id = ${p('agent_owner_user_id')} and owner.provider_id = ${p('agent_provider_id')}
      and owner.active and owner.removed_at is null ${lock}`
    const provider = sql`select 1 from mintmark_identity_providers as provider where provider.issuer = ${p('issuer')}
      and provider.provider_id = ${p('agent_provider_id')} and provider.disabled_at is null
      and provider.removed_at is null ${lock}`
    return sql`case when ${number(p('agent_updated_at'))} is null
      or ${number(p('disabled_at'))} is not null or (exists (${owner}) and exists (${provider}))
      then ${number(p(column))} else coalesce(mintmark_clients.disabled_at, ${number(p('agent_updated_at'))}) end`
  }
  return { disabled_at: unlessEnded('disabled_at'), agent_ended_at: unlessEnded('agent_ended_at') }
}

export const createIdentityProviderStore = (database: Database): IdentityProviderStore => ({
  ...createVersionedStore<typeof identityProviders, ProviderId>(database, identityProviders),
  touchSecret: createTouchSecret(database, identityProviders),
  listByAssertionIssuer: createListByAssertionIssuer(database),
})

/** Records that are changed by compare-and-swap of their version, and that leave a tombstone when they are removed. */
type Versioned = typeof clients | typeof identityProviders | typeof organizations

interface VersionedStore<Of extends Versioned, Id extends string> {
  insert(record: RecordOf<Of>): Promise<InsertOutcome>
  find(id: Id): Promise<RecordOf<Of> | undefined>
  list(page: { readonly after: Id | undefined; readonly limit: number }): Promise<readonly RecordOf<Of>[]>
  compareAndSwap(record: RecordOf<Of>, version: number): Promise<SwapOutcome<RecordOf<Of>>>
  remove(id: Id, now: EpochSeconds): Promise<{ readonly outcome: 'removed' } | { readonly outcome: 'absent' }>
}

/** Columns that a change does not simply set to the value of the record. */
type ChangedColumns = Readonly<Record<string, (p: Parameter<string>) => RawBuilder<unknown>>>

/** @typeParam Id the type of the record's key. */
export function createVersionedStore<Of extends Versioned, Id extends string>(
  database: Database,
  definition: Of,
  changedColumns: ChangedColumns = {},
): VersionedStore<Of, Id> {
  const { engine, run } = database
  const table = recordTable(database, definition)
  const key = keyColumnOf(definition)
  const emptied = encodeMembers(definition.fields, definition.tombstone, engine)
  const statements = versionedStatements(database, table, { key, emptied: Object.keys(emptied), changedColumns })
  const columns = createColumnReader(engine)
  const readFound = readIfChanged(table.read)

  return {
    async insert(record) {
      return { outcome: (await table.insert(record)) ? 'inserted' : 'taken' }
    },

    async find(id) {
      const [row] = await run(statements.find, { [key]: id })
      return row && readFound(id, row)
    },

    async list({ after, limit }) {
      // No identifier is empty, so every identifier sorts after the empty string.
      const rows = await run(statements.list, { after: after ?? '', limit })
      return rows.map(table.read)
    },

    async compareAndSwap(record, version) {
      const values: Readonly<Record<string, SqlValue>> = { ...table.toRow(record), version }
      return untilSettled(async () => {
        const [swapped] = await run(statements.swap, values)
        if (swapped !== undefined) return { outcome: 'swapped', record: table.read(swapped) }

        const [current] = await run(statements.find, values)
        if (current === undefined) return { outcome: 'absent' }
        return columns.integer(table.take(current), 'version') === version ? undefined : { outcome: 'conflict' }
      })
    },

    async remove(id, now) {
      const [row] = await run(statements.remove, { ...emptied, [key]: id, now })
      return { outcome: row === undefined ? 'absent' : 'removed' }
    },
  }
}

function versionedStatements<Of extends Versioned>(
  { query, engine }: Pick<Database, 'query' | 'engine'>,
  { table, columns, selection }: RecordTable<Of>,
  {
    key,
    emptied,
    changedColumns,
  }: { readonly key: string; readonly emptied: readonly string[]; readonly changedColumns: ChangedColumns },
) {
  const names: readonly string[] = columns
  const name = sql.table(table)
  const rows = sql.join(selection.map((column) => sql`${column}`))
  const present = (p: Parameter<string>) =>
    sql`issuer = ${p('issuer')} and ${sql.ref(key)} = ${p(key)} and removed_at is null`
  const changed = names.filter((column) => !['issuer', key, 'version', 'removed_at'].includes(column))
  const touched = names.includes('updated_at') ? ['updated_at', 'removed_at'] : ['removed_at']

  return {
    find: compileSql(query, (p: Parameter<string>) => sql`select ${rows} from ${name} where ${present(p)}`, 'lookup'),

    list: compileSql(
      query,
      (p: Parameter<string>) => sql`select ${rows} from ${name}
        where issuer = ${p('issuer')} and ${sql.ref(key)} > ${p('after')} and removed_at is null
        order by ${sql.ref(key)} limit ${p('limit')}`,
    ),

    swap: compileSql(query, (p: Parameter<string>) =>
      engine.changeRows({
        table,
        set: sql`${sql.join(changed.map((column) => assign(column, p, changedColumns[column])))}, version = version + 1`,
        where: sql`${present(p)} and version = ${p('version')}`,
        returning: rows,
      }),
    ),

    remove: compileSql(query, (p: Parameter<string>) =>
      engine.changeRows({
        table,
        set: sql`${sql.join([
          ...emptied.map((column) => assign(column, p)),
          ...touched.map((column) => sql`${sql.ref(column)} = ${p('now')}`),
        ])}, version = version + 1`,
        where: present(p),
        returning: sql`1 as removed`,
      }),
    ),
  }
}

function createListByAssertionIssuer(database: Database): IdentityProviderStore['listByAssertionIssuer'] {
  const { table, selection, read } = recordTable(database, identityProviders)
  const rows = sql.join(selection.map((column) => sql`${column}`))
  const list = compileSql(
    database.query,
    (p: Parameter<string>) => sql`select ${rows} from ${sql.table(table)}
      where issuer = ${p('issuer')} and assertion_issuer = ${p('assertion_issuer')} and removed_at is null
      order by provider_id limit ${p('limit')}`,
  )
  return async (assertionIssuer, limit) =>
    (await database.run(list, { assertion_issuer: assertionIssuer, limit })).map(read)
}

const assign = (column: string, p: Parameter<string>, value: ChangedColumns[string] = () => sql`${p(column)}`) =>
  sql`${sql.ref(column)} = ${value(p)}`

/** Records when a secret was used. It changes no version, and writes at most once an hour. */
function createTouchSecret(
  database: Database,
  definition: typeof clients | typeof identityProviders,
): (id: string, digest: SecretDigest, now: EpochSeconds) => Promise<void> {
  const { query, engine, run } = database
  const columns = createColumnReader(engine)
  const table = sql.table(tableOf(definition))
  const key = keyColumnOf(definition)
  const present = (p: Parameter<string>) =>
    sql`issuer = ${p('issuer')} and ${sql.ref(key)} = ${p(key)} and removed_at is null`

  const find = compileSql(
    query,
    (p: Parameter<string>) => sql`select secret_uses from ${table} where ${present(p)}`,
    'lookup',
  )
  const recordUse = compileSql(query, (p: Parameter<string>) => {
    const uses = engine.mergeJson(sql.ref('secret_uses'), sql`${p('use')}`)
    return sql`update ${table} set secret_uses = ${uses} where ${present(p)}`
  })

  return async (id, digest, now) => {
    const [row] = await run(find, { [key]: id })
    if (row === undefined || !isFirstUseWithinAnHour(columns.json(row, 'secret_uses') as SecretUses, digest, now))
      return

    await run(recordUse, { [key]: id, use: JSON.stringify({ [digest]: now }) })
  }
}
