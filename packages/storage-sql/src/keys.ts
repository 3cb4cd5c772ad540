import { hash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Parameter } from './statement.ts'

/**
 * A text of any length as an index can hold it: an entry of PostgreSQL has room for 2,704 bytes. Keys are equal where the
 * texts are, and nowhere else.
 */
export const indexKey = (text: string): string =>
  text.length <= longest && !text.startsWith(digested) ? text : digested + hash('sha256', text, 'base64url')

/** The key of a text that may be absent. */
export const indexKeyOrNull = (text: string | undefined): string | null => (text === undefined ? null : indexKey(text))

const longest = 200
const digested = 'sha256 '

/**
 * Of an account or a group that is looked up by its identifier: that it is the provider's. Not a plain comparison: that
 * would lead to an index by provider, where SQLite then looks at every row of the provider's.
 */
export const isProviders = (p: Parameter<'provider_id'>): RawBuilder<boolean> =>
  sql`provider_id || '' = ${p('provider_id')}`

/** The same of an account that has no provider. */
export const isWithoutProvider: RawBuilder<boolean> = sql`provider_id || '' is null`

/** The versions that a row may have to be changed: the one that was asked for, or any. */
export const versionRange = (
  version: number | undefined,
): { readonly least_version: number; readonly greatest_version: number } => ({
  least_version: version ?? 0,
  greatest_version: version ?? Number.MAX_SAFE_INTEGER,
})
