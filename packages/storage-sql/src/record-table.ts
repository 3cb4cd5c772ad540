// One file: what writes a record to columns, and what reads it from them, must agree.

import {
  type RecordDefinition,
  type RecordOf,
  columnsOf,
  snakeCase,
  tableColumns,
  type ColumnName,
  type Field,
  type Fields,
} from '@mintmark/storage-interface/records'
import { sql, type AliasedRawBuilder } from 'kysely'
import { type Database, compileSql, type Parameter } from './database.ts'
import { type SqlEngine, type SqlQueryOptions, type SqlRow, type SqlValue, UniqueViolationError } from './dialect.ts'
import type { JsonValue } from '@mintmark/storage-interface'
import type { SecretDigest, SecretRecord } from '@mintmark/storage-interface/stores'
import { indexOfColumn, oncePerStatement, selectColumns, takeColumns } from './row.ts'

/** A table of records: how statements write them, and how they select and read whole records. */
export interface RecordTable<Of extends RecordDefinition> extends RecordCodec<Of> {
  /** The list of `SELECT` or `RETURNING` of a statement whose rows `read` and `take` accept. */
  readonly selection: readonly AliasedRawBuilder<SqlValue, string>[]
  /** Reads a row of the table's own columns. */
  readonly readTableRow: RecordCodec<Of>['read']
  /** Returns the table's own columns of a row of a statement that selects `selection`. */
  readonly take: (row: SqlRow) => SqlRow
  /**
   * Inserts a record. `false` when one of its unique keys is taken: nothing was written.
   * @param options see `SqlQueryOptions`.
   */
  readonly insert: (record: RecordOf<Of>, options?: Pick<SqlQueryOptions, 'ownKey'>) => Promise<boolean>
}

/** @param alias the table's name in statements that join it. */
export function recordTable<Of extends RecordDefinition>(
  { query, engine, runInOrder }: Pick<Database, 'query' | 'engine' | 'runInOrder'>,
  definition: Of,
  alias?: string,
): RecordTable<Of> {
  const codec = recordCodec(definition, engine)
  const { table, columns, toValues } = codec
  const selected = {
    alias: alias ?? table,
    // Every row belongs to the issuer and was not removed.
    columns: columns.filter((column) => column !== 'issuer' && column !== 'removed_at'),
  }
  const take = takeColumns(selected)

  const insert = compileSql(query, (p: Parameter<string>) => {
    const names = sql.join(columns.map((column) => sql.ref(column)))
    const values = sql.join(columns.map((column) => p(column)))
    return engine.insertIfAbsent(sql`insert into ${sql.table(table)} (${names}) values (${values})`)
  })

  return {
    ...codec,
    get selection() {
      return selectColumns(selected)
    },
    take,
    readTableRow: codec.read,
    read: (row) => codec.read(take(row)),
    insert: (record, options) => insertsRow(runInOrder(insert, toValues(record), options)),
  }
}

/** Whether an insert with `engine.insertIfAbsent` has written a row. */
export async function insertsRow(insert: Promise<readonly SqlRow[]>): Promise<boolean> {
  try {
    return (await insert).length > 0
  } catch (error) {
    if (error instanceof UniqueViolationError) return false
    throw error
  }
}

/** The columns of a record's row, without the issuer, which every statement binds anyway. */
type RecordRow<Of extends RecordDefinition> = Readonly<Record<Exclude<ColumnName<Of>, 'issuer'>, SqlValue>>

/** How records of one kind are stored, compiled from their definition. */
interface RecordCodec<Of extends RecordDefinition> {
  readonly definition: Of
  readonly table: string
  /** All columns of the table. */
  readonly columns: readonly ColumnName<Of>[]
  /** The values of a new record, in the order of the columns without the issuer. Columns that only the store fills are NULL. */
  readonly toValues: (record: RecordOf<Of>) => readonly SqlValue[]
  /** The same values by column. */
  readonly toRow: (record: RecordOf<Of>) => RecordRow<Of>
  /** @throws Error when a column is missing, or NULL although the member is not optional. */
  readonly read: (row: SqlRow) => RecordOf<Of>
}

function recordCodec<Of extends RecordDefinition>(definition: Of, engine: SqlEngine): RecordCodec<Of> {
  const columns = tableColumns(definition)
  const [, ...written] = columns
  // A server that starts needs few of them.
  let write: ReturnType<typeof recordWriter> | undefined
  let read: ReturnType<typeof rowReader> | undefined
  const toValues: RecordCodec<Of>['toValues'] = (record) =>
    (write ??= recordWriter(definition.fields, written, engine))(record)
  return {
    definition,
    table: tableOf(definition),
    columns,
    toValues,
    toRow: (record) => {
      const values = toValues(record)
      // The keys are the columns that the definition names.
      return Object.fromEntries(written.map((column, index) => [column, values[index] ?? null])) as RecordRow<Of>
    },
    // The reader sets the members that the definition names.
    read: (row) => (read ??= rowReader(definition.fields, engine))(row) as RecordOf<Of>,
  }
}

/** Returns the table of a record. */
export const tableOf = ({ name }: RecordDefinition): string => `mintmark_${snakeCase(name)}`

/** Returns the column of the record's key, besides the issuer. */
export function keyColumnOf({ name, fields }: RecordDefinition): string {
  const [key] = columnsOf(fields).filter(({ field }) => field.key)
  if (key === undefined) throw new Error(`The record ${name} has no key`)
  return key.name
}

/** Returns the columns of some members of a record, with their values. */
export function encodeMembers(fields: Fields, members: object, engine: SqlEngine): Readonly<Record<string, SqlValue>> {
  const named = Object.fromEntries(Object.entries(fields).filter(([member]) => Object.hasOwn(members, member)))
  const columns = columnsOf(named).map(({ name }) => name)
  const values = recordWriter(named, columns, engine)(members)
  return Object.fromEntries(columns.map((column, index) => [column, values[index] ?? null]))
}

/** Returns a reader of some members of a record, from rows with their columns. It looks up positions once per statement. */
export function rowReader(fields: Fields, engine: SqlEngine): (row: SqlRow) => unknown {
  const columns = columnsOf(fields).map(({ name }) => name)
  const read = objectReader(fields, (column) => columns.indexOf(column), engine)
  const indexesIn = oncePerStatement((indexByColumn) => columns.map((column) => indexOfColumn(indexByColumn, column)))

  return (row) => read(row.values, indexesIn(row))
}

/** Reads the values of a row; `indexes` has the index of each column of the record. */
type Read = (values: readonly unknown[], indexes: readonly number[]) => unknown

function objectReader(fields: Fields, indexOf: (column: string) => number, engine: SqlEngine): Read {
  const members = Object.entries(fields).map(([member, field]) => ({
    member,
    column: columnOf(member, field),
    index: indexOf(columnOf(member, field)),
    optional: field.optional,
    decode: memberDecoder(field, indexOf, engine),
  }))

  return (values, indexes) => {
    const record: Record<string, unknown> = {}
    for (const { member, column, index, optional, decode } of members) {
      const value = values[indexes[index] as number] ?? undefined
      if (value === undefined && !optional) throw new Error(`The column ${column} is NULL`)
      record[member] = value === undefined || decode === undefined ? value : decode(value, values, indexes)
    }
    return record
  }
}

/** Decodes the value of a column that is not NULL; a member with several columns reads the others as well. */
type Decode = (value: unknown, values: readonly unknown[], indexes: readonly number[]) => unknown

/** Returns the column of a member, or the first of its columns. */
function columnOf(member: string, { kind, storedName, fields = {} }: Field): string {
  if (kind === 'secrets') return 'secrets'
  const [first] = kind === 'spread' ? columnsOf(fields) : []
  return first?.name ?? storedName ?? snakeCase(member)
}

/** Returns the decoder of a member; `undefined` for values that are used unchanged. */
function memberDecoder(field: Field, indexOf: (column: string) => number, engine: SqlEngine): Decode | undefined {
  switch (field.kind) {
    // A driver may return large integers as text.
    case 'integer':
    case 'time':
      return toNumber
    case 'flag':
      return engine.decodeFlag
    case 'list':
    case 'json':
      return parseJson
    case 'object': {
      const complete = objectCompleter(field.fields ?? {})
      return (value) => complete(parseJson(value))
    }
    case 'spread': {
      const read = objectReader(field.fields ?? {}, indexOf, engine)
      return (_, values, indexes) => read(values, indexes)
    }
    case 'secrets': {
      const uses = indexOf('secret_uses')
      return (value, values, indexes) =>
        readSecrets(parseJson(value) as readonly SecretJson[], parseJson(values[indexes[uses] as number]) as SecretUses)
    }
    default:
      return undefined
  }
}

/** Secrets have two columns, because recording a use must not change the version. */
const readSecrets = (secrets: readonly SecretJson[], uses: SecretUses): readonly SecretRecord[] =>
  secrets.map(({ digest, createdAt, expiresAt }) => ({
    digest,
    createdAt,
    expiresAt,
    lastUsedAt: Object.hasOwn(uses, digest) ? uses[digest] : undefined,
  }))

/** When each secret was used last, by digest. */
export type SecretUses = Readonly<Record<string, SecretRecord['lastUsedAt']>>

type SecretJson = Omit<SecretRecord, 'lastUsedAt'>

/** Whether to record a use: only the first use within an hour is written. */
export function isFirstUseWithinAnHour(uses: SecretUses, digest: SecretDigest, now: number): boolean {
  const lastUsedAt = Object.hasOwn(uses, digest) ? uses[digest] : undefined
  return lastUsedAt === undefined || now >= lastUsedAt + 3600
}

const toNumber = (value: unknown): unknown => (typeof value === 'number' ? value : Number(value))

/** Parses JSON. Most lists are empty or hold one plain string, which is recognised faster than the JSON parser works. */
function parseJson(value: unknown): unknown {
  const text = value as string
  if (text === '[]') return []
  if (text === '{}') return {}
  if (text.startsWith('["') && !text.includes('\\')) {
    // If this is more than one string, it contains the quote that ends the first one.
    const inner = text.slice(2, -2)
    if (!inner.includes('"')) return [inner]
  }
  return JSON.parse(text) as unknown
}

/** Returns a function that adds absent members to a parsed JSON object, as `undefined`, and renames stored members. */
function objectCompleter(fields: Fields): (json: unknown) => unknown {
  const members = Object.entries(fields).map(([member, field]) => ({
    member,
    storedName: field.storedName ?? member,
    complete: field.kind === 'object' ? objectCompleter(field.fields ?? {}) : undefined,
  }))
  const isRenamed = members.some(({ member, storedName }) => member !== storedName)

  return (json) => {
    const stored = json as Record<string, unknown>
    // No other code has the parsed object, so it may become part of the record.
    const object = isRenamed ? {} : stored
    for (const { member, storedName, complete } of members) {
      const value = stored[storedName]
      if (complete !== undefined && value !== undefined) object[member] = complete(value)
      else if (isRenamed || value === undefined) object[member] = value
    }
    return object
  }
}

function recordWriter(
  fields: Fields,
  columns: readonly string[],
  engine: SqlEngine,
): (record: object) => readonly SqlValue[] {
  const write = objectWriter(fields, (column) => columns.indexOf(column), engine)
  return (record) => {
    const values: SqlValue[] = columns.map(() => null)
    write(record, values)
    return values
  }
}

/** Writes the members of an object into the values of a row. */
type Write = (object: object, values: SqlValue[]) => void

function objectWriter(fields: Fields, indexOf: (column: string) => number, engine: SqlEngine): Write {
  const members = Object.entries(fields).map(([member, field]) => ({
    member,
    index: indexOf(columnOf(member, field)),
    encode: valueEncoder(field, engine),
    write: severalColumnsWriter(field, indexOf, engine),
  }))

  return (object, values) => {
    const record = object as Readonly<Record<string, unknown>>
    for (const { member, index, encode, write } of members) {
      const value = record[member]
      if (value === undefined) continue
      if (write !== undefined) write(value as object, values)
      else values[index] = encode === undefined ? (value as SqlValue) : encode(value)
    }
  }
}

function severalColumnsWriter(field: Field, indexOf: (column: string) => number, engine: SqlEngine): Write | undefined {
  if (field.kind === 'spread') return objectWriter(field.fields ?? {}, indexOf, engine)
  if (field.kind !== 'secrets') return undefined

  const [secrets, uses] = [indexOf('secrets'), indexOf('secret_uses')]
  return (object, values) => {
    const records = object as readonly SecretRecord[]
    values[secrets] = toJson(
      records.map(({ digest, createdAt, expiresAt }): SecretJson => ({ digest, createdAt, expiresAt })),
    )
    values[uses] = toJson(Object.fromEntries(records.map(({ digest, lastUsedAt }) => [digest, lastUsedAt])))
  }
}

/** Returns the encoder of a value; `undefined` for values that are stored unchanged. */
function valueEncoder(field: Field, engine: SqlEngine): ((value: unknown) => SqlValue) | undefined {
  switch (field.kind) {
    case 'flag':
      return (value) => engine.encodeFlag(value as boolean)
    case 'list':
    case 'json':
      return toJson
    case 'object':
      return objectEncoder(field.fields ?? {})
    case 'searchable':
      return (value) => engine.encodeSearchable(value as JsonValue)
    default:
      return undefined
  }
}

const toJson = (value: unknown): string => JSON.stringify(value)

/** Returns a function that writes the JSON text of an object with the stored names of its members. */
function objectEncoder(fields: Fields): (value: unknown) => string {
  const names = Object.entries(fields).map(([member, { storedName }]) => ({ member, storedName: storedName ?? member }))
  if (names.every(({ member, storedName }) => member === storedName)) return toJson
  return (value) => {
    const object = value as Readonly<Record<string, unknown>>
    return JSON.stringify(Object.fromEntries(names.map(({ member, storedName }) => [storedName, object[member]])))
  }
}
