import type { JsonValue } from '@mintmark/storage-interface'
import { type Expression, sql } from 'kysely'
import type { SqlValue } from '../dialect.ts'
import type { Sql } from '../json-search.ts'

/**
 * Encodes a value for PostgreSQL, whose text cannot hold U+0000; a client may send one in a `nonce` or a `client_id`.
 * To refuse it would make the engines differ, and an error of the database would turn a 400 into a 500. So U+0000 is
 * written as U+001A followed by `0`, and U+001A itself as U+001A followed by `s`.
 */
export const encodeValue = (value: SqlValue): SqlValue =>
  typeof value === 'string' && special.test(value) ? encodeText(value) : value

const encodeText = (text: string): string => text.replaceAll('\u001A', '\u001As').replaceAll('\0', '\u001A0')

/** Returns JSON text for JSONB, with its strings encoded as by `encodeValue`, so that they compare as columns do. */
export function encodeJson(value: JsonValue): string {
  const text = JSON.stringify(value)
  if (!escapedSpecial.test(text)) return text
  // JSONB refuses a lone surrogate. It is replaced, as the driver replaces it in a column.
  return JSON.stringify(value, (_, each: JsonValue) =>
    typeof each === 'string' ? encodeText(each).replace(loneSurrogate, '\uFFFD') : each,
  )
}

/** Decodes a value of a row that `encodeValue` has encoded. */
export const decodeValue = (value: unknown): unknown => (typeof value === 'string' ? decodeText(value) : value)

/** Decodes a string that `encodeValue` has encoded. */
export const decodeText = (text: string): string =>
  text.includes('\u001A') ? text.replaceAll('\u001A0', '\0').replaceAll('\u001As', '\u001A') : text

/** Parses the text of a JSONB that `encodeJson` has written. */
export const decodeJson = (text: string): JsonValue =>
  JSON.parse(text, text.includes(String.raw`\u001a`) ? decodeEach : undefined) as JsonValue

const decodeEach = (_: string, each: JsonValue): JsonValue => (typeof each === 'string' ? decodeText(each) : each)

// oxlint-disable-next-line no-control-regex -- the expression looks for control characters
const special = /[\0\u001A]/
const escapedSpecial = /\\u(00(00|1a)|d[89a-f])/i
const loneSurrogate = /\p{Surrogate}/gu

/**
 * Converts JSON text to JSONB in SQL, with its strings encoded as by `encodeJson`: JSONB refuses U+0000 and lone
 * surrogates, which JSON.stringify writes as escapes.
 */
export function jsonbOfText(json: Expression<unknown>): Sql {
  const encoded = escapes.reduce<Sql>(
    (text, [escape, replacement]) => sql`regexp_replace(${text}, ${sql.lit(escape)}, ${sql.lit(replacement)}, 'g')`,
    sql`${json}`,
  )
  return sql`(case when strpos(${json}, ${sql.lit(String.raw`\u`)}) = 0 then ${json} else ${encoded} end)::jsonb`
}

/** JSON writes a literal backslash as two, so an escape follows an even number of backslashes. */
const backslashes = String.raw`(?<!\\)((?:\\\\)*)\\u`

const escapes = [
  [`${backslashes}001a`, String.raw`\1\\u001as`],
  [`${backslashes}0000`, String.raw`\1\\u001a0`],
  [`${backslashes}d[89a-f][0-9a-f]{2}`, String.raw`\1\\ufffd`],
] as const
