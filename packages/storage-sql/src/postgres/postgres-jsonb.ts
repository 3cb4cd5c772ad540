import { sql, type Expression } from 'kysely'
import type { Sql } from '../json-search.ts'

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
