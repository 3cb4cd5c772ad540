// One file: the methods of one store, and their statements.

import {
  type CustomResourceRecord,
  type CustomResourceState,
  type CustomResourceStore,
  untilSettled,
} from '@mintmark/storage-interface/stores'
import { columnsOf, customResources } from '@mintmark/storage-interface/records'
import { sql } from 'kysely'
import { compileSql, type Database, type Parameter } from '../database.ts'
import { type SqlEngine, type SqlRow, UniqueViolationError } from '../dialect.ts'
import { pathOf } from '../list/filter-scopes.ts'
import type { ListedKind, OwnerValue } from '../list/listed-kind.ts'
import { createTableIndexes } from '../list/narrow-index.ts'
import { createLister } from '../list/lister.ts'
import { byKey, createLookup } from '../list/lookup.ts'
import { rowReader } from '../record-table.ts'
import { createColumnReader, indexKey, indexKeyOrNull, belongsToProvider, versionRange } from '../row.ts'

type Key = Pick<CustomResourceRecord, 'providerId' | 'resourceType' | 'resourceId'>

export function createCustomResourceStore(
  database: Database,
  { scanLimit }: { readonly scanLimit: number },
): CustomResourceStore {
  const { engine, run } = database
  const statements = resourceStatements(database)
  const { write, takenKeys } = createWriter(database, statements)
  const columns = createColumnReader(engine)
  // The reader sets the members that the definition names.
  const read = rowReader(customResources.fields, engine) as (row: SqlRow) => CustomResourceRecord

  return {
    list: createLister(
      database,
      {
        kind: listedResources,
        read,
        owner: ({ providerId, resourceType }) => ({ provider_id: providerId, resource_type: resourceType }),
      },
      { scanLimit },
    ),

    async insert({ state, createdAt, ...key }) {
      const values = rowValues(key, { state, version: undefined, now: createdAt }, engine)
      return untilSettled(async () => {
        const row = await write('insert', values, { hasUniqueTexts: state.uniqueTexts.length > 0 })
        if (row !== undefined) return { outcome: 'inserted', record: read(row) }

        const [key] = await takenKeys(values)
        return key && { outcome: 'taken', key }
      })
    },

    async find(key) {
      const [row] = await run(statements.find, keyValues(key))
      return row === undefined ? undefined : read(row)
    },

    async compareAndSwap({ version, state, now, ...key }) {
      const values = rowValues(key, { state, version, now }, engine)
      return untilSettled(async () => {
        const row = await write('swap', values, { hasUniqueTexts: state.uniqueTexts.length > 0 })
        if (row !== undefined) return { outcome: 'swapped', record: read(row) }

        const [current] = await run(statements.find, values)
        if (current === undefined) return { outcome: 'absent' }
        if (columns.integer(current, 'version') !== version) return { outcome: 'conflict' }
        const [key] = (await takenKeys(values)).filter((each) => each !== 'id')
        return key && { outcome: 'taken', key }
      })
    },

    async remove({ version, ...key }) {
      const values = { ...keyValues(key), ...versionRange(version) }
      return untilSettled(async () => {
        if ((await run(statements.remove, values)).length > 0) return { outcome: 'removed' }

        const [current] = await run(statements.find, values)
        if (current === undefined) return { outcome: 'absent' }
        const isAsExpected = version === undefined || columns.integer(current, 'version') === version
        return isAsExpected ? undefined : { outcome: 'conflict' }
      })
    },
  }
}

/** Writes resources with their unique texts. */
function createWriter({ engine, run, step, transact }: Database, statements: ReturnType<typeof resourceStatements>) {
  const columns = createColumnReader(engine)

  return { write, takenKeys }

  /** @returns `undefined` if a key is taken, or the row does not have the expected version. */
  async function write(
    kind: 'insert' | 'swap',
    values: RowValues,
    { hasUniqueTexts }: { readonly hasUniqueTexts: boolean },
  ): Promise<SqlRow | undefined> {
    // A new resource without unique texts is one row and one statement.
    if (kind === 'insert' && !hasUniqueTexts) return (await orNone(run(statements.insert, values)))?.[0]
    const steps = [
      step(statements[kind], values, 'guard'),
      ...(kind === 'swap' ? [step(statements.dropKeys, values)] : []),
      ...(hasUniqueTexts ? [step(statements.addKeys, values)] : []),
      step(statements.find, values),
    ]
    return (await orNone(transact(steps)))?.[0]
  }

  /** Returns the keys that another resource has. Also returns `id` if this resource is already stored. */
  async function takenKeys(values: RowValues): Promise<readonly ('id' | 'externalId' | 'unique')[]> {
    const [row] = await run(statements.findTaken, values)
    const keys = [
      ['id', 'id_taken'],
      ['externalId', 'external_id_taken'],
      ['unique', 'unique_taken'],
    ] as const
    return keys.flatMap(([key, name]) => (row !== undefined && columns.flag(row, name) ? [key] : []))
  }
}

/** Returns `undefined` if a key is taken. */
async function orNone<Rows>(write: Promise<Rows>): Promise<Rows | undefined> {
  try {
    return await write
  } catch (error) {
    if (error instanceof UniqueViolationError) return undefined
    throw error
  }
}

const keyValues = ({ providerId, resourceType, resourceId }: Key) => ({
  provider_id: providerId,
  resource_type: resourceType,
  resource_id: resourceId,
})

/** Returns the parameters of a write. Unique keys are sorted, so that two writers of the same keys do not deadlock. */
const rowValues = (
  key: Key,
  {
    state,
    version,
    now,
  }: { readonly state: CustomResourceState; readonly version: number | undefined; readonly now: number },
  engine: SqlEngine,
) => ({
  ...keyValues(key),
  ...versionRange(version),
  now,
  external_id: state.externalId ?? null,
  external_id_key: indexKeyOrNull(state.externalId),
  resource: JSON.stringify(state.resource),
  comparable: engine.encodeSearchable(state.comparable),
  unique_keys: engine.encodeSearchable(state.uniqueTexts.map(indexKey).toSorted()),
})

type RowValues = ReturnType<typeof rowValues>

type KeyValue = 'issuer' | 'provider_id' | 'resource_type' | 'resource_id'
type StateValue = 'external_id' | 'external_id_key' | 'resource' | 'comparable'
type VersionValue = 'least_version' | 'greatest_version'

function resourceStatements({ query, engine }: Pick<Database, 'query' | 'engine'>) {
  const record = sql.join(columnsOf(customResources.fields).map(({ name }) => sql.ref(name)))
  const keys = (p: Parameter<'unique_keys'>) => engine.listed(sql`${p('unique_keys')}`)

  return {
    insert: compileSql(query, (p: Parameter<KeyValue | StateValue | 'now'>) =>
      engine.insertIfAbsent(
        sql`insert into mintmark_custom_resources
        (issuer, resource_id, provider_id, resource_type, external_id, external_id_key, resource, comparable, created_at, updated_at, version)
        values (${p('issuer')}, ${p('resource_id')}, ${p('provider_id')}, ${p('resource_type')}, ${p('external_id')},
          ${p('external_id_key')}, ${p('resource')}, ${p('comparable')}, ${p('now')}, ${p('now')}, 1)`,
        record,
      ),
    ),

    find: compileSql(
      query,
      (p: Parameter<KeyValue>) => sql`select ${record} from mintmark_custom_resources where ${inRow(p)}`,
    ),

    /** Finds out which of the keys to be written another resource has; `id_taken` is also set for this resource. */
    findTaken: compileSql(
      query,
      (p: Parameter<KeyValue | 'external_id_key' | 'unique_keys'>) => sql`select
        exists (select 1 from mintmark_custom_resources where issuer = ${p('issuer')} and resource_id = ${p('resource_id')}) as id_taken,
        exists (select 1 from mintmark_custom_resources where ${ofOwner(p)}
          and external_id_key = ${p('external_id_key')} and resource_id <> ${p('resource_id')}) as external_id_taken,
        exists (select 1 from mintmark_custom_resource_keys where ${ofOwner(p)}
          and ${engine.among(sql`unique_key`, keys(p))} and resource_id <> ${p('resource_id')}) as unique_taken`,
    ),

    swap: compileSql(query, (p: Parameter<KeyValue | StateValue | VersionValue | 'now'>) =>
      engine.changeRows({
        table,
        set: sql`external_id = ${p('external_id')}, external_id_key = ${p('external_id_key')}, resource = ${p('resource')},
          comparable = ${p('comparable')}, updated_at = ${p('now')}, version = version + 1`,
        where: isAtVersion(p),
        returning: record,
      }),
    ),

    dropKeys: compileSql(
      query,
      (p: Parameter<KeyValue | 'unique_keys'>) => sql`delete from mintmark_custom_resource_keys
        where issuer = ${p('issuer')} and resource_id = ${p('resource_id')} and unique_key not in (${keys(p)})`,
    ),

    /** Fails for a key of another resource. */
    addKeys: compileSql(
      query,
      (p: Parameter<KeyValue | 'unique_keys'>) => sql`insert into mintmark_custom_resource_keys
        (issuer, provider_id, resource_type, unique_key, resource_id)
        select ${p('issuer')}, ${p('provider_id')}, ${p('resource_type')}, given.value, ${p('resource_id')}
        from (${keys(p)}) as given where not exists (
          select 1 from mintmark_custom_resource_keys as own where own.issuer = ${p('issuer')}
          and own.provider_id = ${p('provider_id')} and own.resource_type = ${p('resource_type')}
          and own.unique_key = given.value and own.resource_id = ${p('resource_id')})`,
    ),

    remove: compileSql(
      query,
      (p: Parameter<KeyValue | VersionValue>) =>
        sql`delete from mintmark_custom_resources where ${isAtVersion(p)} returning resource_id`,
    ),
  }
}

const inRow = (p: Parameter<KeyValue>) =>
  sql`issuer = ${p('issuer')} and resource_id = ${p('resource_id')} and ${isOfType(p)}`

const isAtVersion = (p: Parameter<KeyValue | VersionValue>) =>
  sql`${inRow(p)} and version >= ${p('least_version')} and version <= ${p('greatest_version')}`

const ofOwner = (p: Parameter<KeyValue>) => sql`issuer = ${p('issuer')} and ${inOwner(p)}`

const table = 'mintmark_custom_resources'
const column = (name: string) => sql`${sql.ref(`${table}.${name}`)}`

/**
 * Whether a row that was found by its key belongs to the provider and the type. It is an expression for the same reason
 * as `belongsToProvider`.
 */
const isOfType = (p: Parameter<'provider_id' | 'resource_type'>) =>
  sql<boolean>`${belongsToProvider(p)} and resource_type || '' = ${p('resource_type')}`

/** The resources of a type and a provider. */
const listedResources: ListedKind = {
  table,
  id: 'resource_id',
  ageIndex: 'mintmark_custom_resources_by_age',
  rows: {
    every: (p) => sql`issuer = ${p('issuer')} and ${inOwner(p)}`,
    one: isOfType,
    total: (p) => sql`coalesce((select total from mintmark_provider_totals
      where issuer = ${p('issuer')} and provider_id = ${p('provider_id')} and kind = 'type ' || ${p('resource_type')}), 0)`,
  },
  from: sql.table(table),
  document: column('comparable'),
  documentPath: pathOf,
  record: sql`${sql.join(columnsOf(customResources.fields).map(({ name }) => column(name)))}`,
  columns: new Map([
    ['id', { kind: 'text', column: column('resource_id') }],
    ['externalId', { kind: 'text', column: column('external_id') }],
    ['meta.created', { kind: 'number', column: sql`(${column('created_at')} * 1000)` }],
    ['meta.lastModified', { kind: 'number', column: sql`(${column('updated_at')} * 1000)` }],
  ]),
  memberships: undefined,
  narrow: createTableIndexes(
    {
      table,
      id: 'resource_id',
      scope: (p) =>
        sql`${column('issuer')} = ${p('issuer')} and ${column('provider_id')} = ${p('provider_id')} and ${column('resource_type')} = ${p('resource_type')}`,
    },
    [{ label: 'externalId', column: 'external_id_key', isInEveryRow: false }],
  ),
  size: sql`octet_length(${column('resource')})`,
  lookups: new Map([
    ['id', createLookup({ table, id: 'resource_id', by: 'resource_id', rows: 1, row: isOfType })],
    [
      'externalId',
      createLookup({ table, id: 'resource_id', by: 'external_id_key', rows: 1, row: inOwner, indexed: byKey }),
    ],
  ]),
}

function inOwner(p: Parameter<OwnerValue>) {
  return sql`provider_id = ${p('provider_id')} and resource_type = ${p('resource_type')}`
}
