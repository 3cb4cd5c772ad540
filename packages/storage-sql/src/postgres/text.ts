import type { JsonValue } from '@mintmark/storage-interface'
import { type Expression, sql } from 'kysely'
import type { SqlValue } from '../dialect.ts'
import type { Sql } from '../json-search.ts'

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

/**
 * JSON text as JSONB, with its texts as `encodeJson` would have written them: JSONB refuses U+0000 and half a surrogate pair,
 * each of which is an escape in what JSON.stringify has written.
 */
export function jsonbOfText(json: Expression<unknown>): Sql {
  const encoded = escapes.reduce<Sql>(
    (text, [escape, replacement]) => sql`regexp_replace(${text}, ${sql.lit(escape)}, ${sql.lit(replacement)}, 'g')`,
    sql`${json}`,
  )
  return sql`(case when strpos(${json}, ${sql.lit(String.raw`\u`)}) = 0 then ${json} else ${encoded} end)::jsonb`
}

/** A backslash that stands for itself is two: behind an even number of them an escape begins. */
const backslashes = String.raw`(?<!\\)((?:\\\\)*)\\u`

const escapes = [
  [`${backslashes}001a`, String.raw`\1\\u001as`],
  [`${backslashes}0000`, String.raw`\1\\u001a0`],
  [`${backslashes}d[89a-f][0-9a-f]{2}`, String.raw`\1\\ufffd`],
] as const
