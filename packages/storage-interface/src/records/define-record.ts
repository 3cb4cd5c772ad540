import type { SecretDigest, JsonObject, JsonText, EpochSeconds } from '../values.ts'

/**
 * A type of record, defined once as plain frozen data: `defineRecord('clients', { clientId: key(id(clientId)), clientName: text, … })`. Its
 * TypeScript type is `RecordOf<typeof clients>`; the column names of a SQL table are `ColumnName<typeof clients>`.
 *
 * How a codec uses it:
 * - A SQL codec calls `columnsOf(definition.fields)` once, builds one list of decoders from it and decodes every row with that list.
 *   Every table also has the column `issuer`, which is the first column of its primary key and is not in the record.
 * - A JSON codec is `jsonCodec(definition.fields, …)`. It works as well for some of the fields, or for the fields of an `object` member.
 */
export interface RecordDefinition<
  Name extends string = string,
  Of extends Fields = Fields,
  More extends Fields = Fields,
> {
  /** The name of the records, such as `opaqueTokens`. The name of the table is `mintmark_` and this name in snake case. */
  readonly name: Name
  readonly fields: Of
  /** Columns that are in the table and not in the record: only the store uses them. */
  readonly storedOnly: More
  /**
   * The values that erased members get when the record is removed: its row stays as a tombstone with the column `removed_at`, so
   * that its identifier is never reused. Empty if a removal deletes the row, or if there are no removals.
   */
  readonly tombstone: Partial<RecordOfFields<Of>>
}

export type Fields = Readonly<Record<string, Field>>

// oxlint-disable-next-line typescript/no-generated-empty-object-type -- a record whose table has no further columns
export type NoFields = Readonly<Record<never, Field>>

/**
 * The kind of a member of a record. It decides what its column contains:
 * - `text`: the text. `integer`: a whole number up to 2^53 - 1. `time`: whole seconds since 1970.
 * - `flag`: a boolean as the engine stores it.
 * - `json`: any JSON value, as JSON text. `jsonText`: text that is JSON already, kept character by character.
 * - `searchable`: JSON that filters search; an engine may have a special type for it.
 * - `list`: a JSON list of `element` values. `object`: a JSON object with `fields`; absent members are left out.
 * - `spread`: an object whose members have a column each; all of them are NULL when the object is absent.
 * - `secrets`: see `secretList`.
 */
export type FieldKind =
  'text' | 'integer' | 'time' | 'flag' | 'json' | 'jsonText' | 'searchable' | 'list' | 'object' | 'spread' | 'secrets'

/** One member of a record. `Columns` are its column names; `'*'` stands for the name that is derived from the member's name. */
export interface Field<Value = unknown, Columns extends string = string> {
  readonly kind: FieldKind
  /** The member is `undefined` when absent: NULL in a column. */
  readonly optional: boolean
  /** Whether it belongs to the primary key. */
  readonly key: boolean
  /** Whether it loses its value when its record is removed. */
  readonly erased: boolean
  /** The name of its column, or of its member in stored JSON, if that is not derived from the member's name. */
  readonly storedName: string | undefined
  /** The strings that are allowed; `undefined` allows all. */
  readonly values: readonly string[] | undefined
  /** The members of an `object` or a `spread`. */
  readonly fields: Fields | undefined
  /** The elements of a `list`. */
  readonly element: Field | undefined
  /** Exists only for type inference: no value has this property. */
  readonly [types]?: () => { readonly value: Value; readonly columns: Columns }
}

declare const types: unique symbol

export function defineRecord<const Name extends string, Of extends Fields, More extends Fields = NoFields>(
  name: Name,
  fields: Of,
  more: { readonly storedOnly?: More } = {},
): RecordDefinition<Name, Of, More> {
  const storedOnly = Object.freeze({ ...more.storedOnly }) as More
  return Object.freeze({ name, fields: Object.freeze({ ...fields }), storedOnly, tombstone: tombstoneOf(fields) })
}

const tombstoneOf = <Of extends Fields>(fields: Of): Partial<RecordOfFields<Of>> => {
  const erasedMembers = Object.entries(fields).filter(([, of]) => of.erased)
  const empty = erasedMembers.map(([name, of]) => [name, of.optional ? undefined : emptyValues[of.kind]])
  return Object.freeze(Object.fromEntries(empty)) as Partial<RecordOfFields<Of>>
}

/** The values of erased members that are not optional. */
const emptyValues: Partial<Record<FieldKind, unknown>> = { text: '', flag: false, json: {}, list: [], secrets: [] }

export type RecordOf<Definition extends RecordDefinition> = RecordOfFields<Definition['fields']>

export type RecordOfFields<Of> = {
  readonly [Member in keyof Of]: Of[Member] extends Field<infer Value> ? Value : never
}

const field = <Value>(kind: FieldKind, more: Partial<Field> = {}): Field<Value, '*'> =>
  Object.freeze({
    kind,
    optional: false,
    key: false,
    erased: false,
    storedName: undefined,
    values: undefined,
    fields: undefined,
    element: undefined,
    ...more,
  }) as Field<Value, '*'>

export const text = field<string>('text')
export const integer = field<number>('integer')
export const time = field<EpochSeconds>('time')
export const flag = field<boolean>('flag')
export const jsonText = field<JsonText>('jsonText')
export const searchable = field<JsonObject>('searchable')

/** A JSON object. */
export const json = field<JsonObject>('json')

/** JSON of a given type. Only the writer checks the type. */
export const jsonOf = <Value>(): Field<Value, '*'> => field<Value>('json')

/** Text of a given type. Only the writer checks the type. */
export const textOf = <Value extends string>(): Field<Value, '*'> => field<Value>('text')

/** Text of one of the identifier types: `id(clientId)`. */
export const id = <Id extends string>(_brand: (value: string) => Id): Field<Id, '*'> => field<Id>('text')

export const oneOf = <Value extends string>(...values: readonly Value[]): Field<Value, '*'> =>
  field<Value>('text', { values })

export const list = <Value>(element: Field<Value>): Field<readonly Value[], '*'> =>
  field<readonly Value[]>('list', { element })

export const object = <Of extends Fields>(fields: Of): Field<RecordOfFields<Of>, '*'> =>
  field<RecordOfFields<Of>>('object', { fields })

export const spread = <Of extends Fields>(fields: Of): Field<RecordOfFields<Of>, ColumnNameOf<Of>> =>
  field('spread', { fields }) as Field<RecordOfFields<Of>, never>

export const optional = <Value, Columns extends string>(of: Field<Value, Columns>): Field<Value | undefined, Columns> =>
  withPart(of, { optional: true }) as Field<Value | undefined, Columns>

export const key = <Value, Columns extends string>(of: Field<Value, Columns>): Field<Value, Columns> =>
  withPart(of, { key: true }) as Field<Value, Columns>

/** A member that becomes empty when its record is removed: everything that describes somebody, or that gives access. */
export const erased = <Value, Columns extends string>(of: Field<Value, Columns>): Field<Value, Columns> =>
  withPart(of, { erased: true }) as Field<Value, Columns>

/** Sets the name in storage, for a member whose name differs from the name that the schema already has. */
export const storedAs = <const Name extends string, Value>(name: Name, of: Field<Value>): Field<Value, Name> =>
  withPart(of, { storedName: name }) as Field<Value, Name>

const withPart = (of: Field, part: Partial<Field>): Field => Object.freeze({ ...of, ...part })

/**
 * The secrets of a client or an identity provider. They have two columns, because recording a use must not change the version:
 * `secrets` is a JSON list of the secrets without `lastUsedAt`, and `secret_uses` a JSON object with the times of last use, by digest.
 */
export const secretList = (): Field<readonly SecretRecord[], 'secrets' | 'secret_uses'> =>
  field('secrets', { fields: { digest: text, createdAt: time, expiresAt: optional(time) } }) as Field<
    readonly SecretRecord[],
    never
  >

/** A secret of a client or an identity provider. Two may be active at once, so that a secret can be replaced without an outage. */
export interface SecretRecord {
  readonly digest: SecretDigest
  readonly createdAt: EpochSeconds
  readonly expiresAt: EpochSeconds | undefined
  readonly lastUsedAt: EpochSeconds | undefined
}

/** A column of a record. A `spread` member and a `secrets` member have several. */
export interface Column {
  readonly name: string
  /** The member whose value it contains. A `secrets` member has two columns. */
  readonly member: string
  /** The `spread` member that `member` is in; `undefined` for a member of the record itself. */
  readonly within: string | undefined
  readonly field: Field
}

/** Returns the columns of a record in the order of its members, without `issuer` and the columns of `storedOnly`. */
export const columnsOf = (fields: Fields, within?: string): readonly Column[] =>
  Object.entries(fields).flatMap(([member, of]) => {
    if (of.kind === 'spread') return columnsOf(of.fields ?? {}, member)
    const names = of.kind === 'secrets' ? ['secrets', 'secret_uses'] : [of.storedName ?? snakeCase(member)]
    return names.map((name) => ({ name, member, within, field: of }))
  })

/** Returns all columns of a record's table. */
export const tableColumns = <Of extends RecordDefinition>({ fields, storedOnly }: Of): readonly ColumnName<Of>[] => {
  const names = [...columnsOf(fields), ...columnsOf(storedOnly)].map(({ name }) => name)
  // The types name the same columns: a test compares them with the migrations.
  return ['issuer', ...names] as ColumnName<Of>[]
}

/** Converts `opaqueTokens` to `opaque_tokens`. */
export const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The columns of a record's table as a type. */
export type ColumnName<Of extends RecordDefinition> =
  'issuer' | ColumnNameOf<Of['fields']> | ColumnNameOf<Of['storedOnly']>

export type ColumnNameOf<Of> = {
  [Member in keyof Of & string]: Of[Member] extends Field<unknown, infer Columns>
    ? Columns extends '*'
      ? SnakeCase<Member>
      : Columns
    : never
}[keyof Of & string]

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name
