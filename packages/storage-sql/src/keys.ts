import { hash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Parameter } from './statement.ts'

/**
 * The index key of a text of any length: an index entry of PostgreSQL holds at most 2,704 bytes. Two keys are equal
 * exactly when their texts are.
 */
export const indexKey = (text: string): string =>
  text.length <= longest && !text.startsWith(digested) ? text : digested + hash('sha256', text, 'base64url')

/** The key of a text that may be absent. */
export const indexKeyOrNull = (text: string | undefined): string | null => (text === undefined ? null : indexKey(text))

const longest = 200
const digested = 'sha256 '

/**
 * Whether a row that was found by its key belongs to the provider. It is an expression because a plain comparison would
 * make SQLite use the provider index and read every row of the provider.
 */
export const isProviders = (p: Parameter<'provider_id'>): RawBuilder<boolean> =>
  sql`provider_id || '' = ${p('provider_id')}`

/** Whether a user that was found by its key has no provider. */
export const isWithoutProvider: RawBuilder<boolean> = sql`provider_id || '' is null`

/** The range of versions that a row may have to be changed: the expected one, or any. */
export const versionRange = (
  version: number | undefined,
): { readonly least_version: number; readonly greatest_version: number } => ({
  least_version: version ?? 0,
  greatest_version: version ?? Number.MAX_SAFE_INTEGER,
})
