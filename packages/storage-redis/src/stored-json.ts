import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

/** A record as JSON. A member that is `undefined` is written as null: a reader can tell it from one that was lost. */
export const storedJson = (record: object): string =>
  JSON.stringify(record, (_name, value: unknown) => (value === undefined ? null : value))

/** Reads typed members. A member that is missing or of another type throws: records are whole, or they are not used. */
export interface StoredObject {
  text(name: string): string
  optionalText(name: string): string | undefined
  integer(name: string): number
  texts(name: string): readonly string[]
  json(name: string): JsonObject
  optionalJson(name: string): JsonObject | undefined
  object(name: string): StoredObject
}

/** @throws Error when `json` is not the JSON text of an object. */
export function readStored(json: string | null | undefined): StoredObject {
  if (typeof json !== 'string') throw new Error('A stored record is missing.')
  return membersOf(JSON.parse(json) as JsonValue)
}

function membersOf(value: JsonValue): StoredObject {
  if (!isObject(value)) throw new Error('A stored record is not an object.')

  const read = <T extends JsonValue>(name: string, is: (member: JsonValue) => member is T): T => {
    const member = Object.hasOwn(value, name) ? value[name] : undefined
    if (member === undefined || !is(member)) throw new Error(`A stored record has no valid ${name}.`)
    return member
  }

  return {
    text: (name) => read(name, isText),
    optionalText: (name) => read(name, orNull(isText)) ?? undefined,
    integer: (name) => read(name, isInteger),
    texts: (name) => read(name, isTexts),
    json: (name) => read(name, isObject),
    optionalJson: (name) => read(name, orNull(isObject)) ?? undefined,
    object: (name) => membersOf(read(name, isObject)),
  }
}

const isText = (value: JsonValue): value is string => typeof value === 'string'
const isInteger = (value: JsonValue): value is number => Number.isSafeInteger(value)
const isTexts = (value: JsonValue): value is readonly string[] => Array.isArray(value) && value.every(isText)
const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const orNull =
  <T extends JsonValue>(is: (value: JsonValue) => value is T) =>
  (value: JsonValue): value is T | null =>
    value === null || is(value)
