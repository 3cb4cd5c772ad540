import type { JsonValue } from '@mintmark/storage-interface'
import type { SqlValue } from '../dialect.ts'

/**
 * A value as PostgreSQL can hold it. Its text holds every character but U+0000, and anybody may put one into a `nonce` or
 * into the `client_id` of a request. Refusing it would make a difference between engines, and an error in the database
 * one between 400 and 500: so it is written as two other characters, and so is the one that begins those two.
 */
export const encodeValue = (value: SqlValue): SqlValue =>
  typeof value === 'string' && special.test(value) ? encodeText(value) : value

const encodeText = (text: string): string => text.replaceAll('\u001A', '\u001As').replaceAll('\0', '\u001A0')

/** JSON text for JSONB, whose texts are then as `encodeValue` would have them: they compare as columns do. */
export function encodeJson(value: JsonValue): string {
  const text = JSON.stringify(value)
  if (!escapedSpecial.test(text)) return text
  // Half a surrogate pair becomes what the driver makes of it in a column; JSONB would refuse it.
  return JSON.stringify(value, (_, each: JsonValue) =>
    typeof each === 'string' ? encodeText(each).replace(loneSurrogate, '\uFFFD') : each,
  )
}

/** A value of a row, with the text that was given to `encodeValue`. */
export const decodeValue = (value: unknown): unknown => (typeof value === 'string' ? decodeText(value) : value)

/** The text that was given to `encodeValue`. */
export const decodeText = (text: string): string =>
  text.includes('\u001A') ? text.replaceAll('\u001A0', '\0').replaceAll('\u001As', '\u001A') : text

/** The value that was given to `encodeJson`, out of the text of a JSONB. */
export const decodeJson = (text: string): JsonValue =>
  JSON.parse(text, text.includes(String.raw`\u001a`) ? decodeEach : undefined) as JsonValue

const decodeEach = (_: string, each: JsonValue): JsonValue => (typeof each === 'string' ? decodeText(each) : each)

// oxlint-disable-next-line no-control-regex -- they are what is looked for
const special = /[\0\u001A]/
const escapedSpecial = /\\u(00(00|1a)|d[89a-f])/i
const loneSurrogate = /\p{Surrogate}/gu
