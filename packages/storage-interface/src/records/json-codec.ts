import { type JsonObject, type JsonValue, isArray, isObject } from '../values.ts'
import { text, type Field, type Fields, type RecordOfFields } from './define-record.ts'

/** Writes records as JSON objects and reads them back. */
export interface JsonCodec<Of extends Fields> {
  readonly encode: (record: RecordOfFields<Of>) => JsonObject
  /** @throws Error if a member is missing or has the wrong type: a record is read completely or not at all. */
  readonly decode: (stored: JsonValue) => RecordOfFields<Of>
}

/**
 * Creates the JSON codec of the members of a record, or of one of its `object` fields. Create it once: this compiles the fields.
 * @param absent how a member that is `undefined` is written. With `null`, the reader refuses a record without the member, which must
 * have lost it. `omitted` is the format of the JSON columns of SQL tables.
 */
export function jsonCodec<Of extends Fields>(fields: Of, absent: 'null' | 'omitted'): JsonCodec<Of> {
  const { encode, decode } = objectCodec(fields, absent)
  return {
    encode: (record) => encode(record) as JsonObject,
    // `decode` has checked that each member has the type of its field, and returns no others.
    decode: (stored) => decode(stored) as RecordOfFields<Of>,
  }
}

/** `decode` throws if a value does not have the type of the field. It is not called for an absent value. */
interface ValueCodec {
  readonly encode: (value: unknown) => JsonValue
  readonly decode: (stored: JsonValue) => unknown
}

function objectCodec(fields: Fields, absent: 'null' | 'omitted'): ValueCodec {
  const members = Object.entries(fields).map(([name, field]) => ({
    name,
    storedName: field.storedName ?? name,
    optional: field.optional,
    codec: valueCodec(field, absent),
  }))

  return {
    encode(value) {
      const record = value as Readonly<Record<string, unknown>>
      const stored: Record<string, JsonValue> = {}
      for (const { name, storedName, codec } of members) {
        const member = record[name]
        if (member !== undefined) stored[storedName] = codec.encode(member)
        else if (absent === 'null') stored[storedName] = null
      }
      return stored
    },

    decode(stored) {
      if (!isObject(stored)) throw new Error('A stored record is not an object.')
      const record: Record<string, unknown> = {}
      for (const { name, storedName, optional, codec } of members) {
        const value = Object.hasOwn(stored, storedName) ? stored[storedName] : undefined
        const isAbsent = value === null || (value === undefined && absent === 'omitted')
        record[name] = optional && isAbsent ? undefined : decodeMember(value, storedName, codec)
      }
      return record
    },
  }
}

function decodeMember(value: JsonValue | undefined, storedName: string, codec: ValueCodec): unknown {
  try {
    if (value !== undefined) return codec.decode(value)
  } catch (cause) {
    throw new Error(`A stored record has no valid ${storedName}.`, { cause })
  }
  throw new Error(`A stored record has no ${storedName}.`)
}

function valueCodec(field: Field, absent: 'null' | 'omitted'): ValueCodec {
  switch (field.kind) {
    case 'text':
      return scalarCodec((value) => typeof value === 'string' && (field.values?.includes(value) ?? true))
    case 'jsonText':
      return scalarCodec((value) => typeof value === 'string')
    case 'integer':
    case 'time':
      return scalarCodec(Number.isSafeInteger)
    case 'flag':
      return scalarCodec((value) => typeof value === 'boolean')
    case 'json':
    case 'searchable':
      return scalarCodec(isObject)
    case 'list':
      return listCodec(valueCodec(field.element ?? text, absent))
    case 'object':
    case 'spread':
      return objectCodec(field.fields ?? {}, absent)
    // Only `secrets` is left.
    default:
      return listCodec(objectCodec(field.fields ?? {}, absent))
  }
}

const scalarCodec = (isValid: (stored: JsonValue) => boolean): ValueCodec => ({
  encode: (value) => value as JsonValue,
  decode(stored) {
    if (!isValid(stored)) throw new TypeError('A stored value has the wrong type.')
    return stored
  },
})

const listCodec = (element: ValueCodec): ValueCodec => ({
  encode: (value) => (value as readonly unknown[]).map((each) => element.encode(each)),
  decode(stored) {
    if (!isArray(stored)) throw new TypeError('A stored value is not a list.')
    return stored.map((each) => element.decode(each))
  },
})
