import { sql, type RawBuilder } from 'kysely'
import type { Parameter } from './statement.ts'

/**
 * Of an account or a group that is looked up by its identifier: that it is the provider's. Not a plain comparison: that
 * would lead to an index by provider, where SQLite then looks at every row of the provider's.
 */
export const isProviders = (p: Parameter<'provider_id'>): RawBuilder<boolean> =>
  sql`provider_id || '' = ${p('provider_id')}`

/** The same of an account that has no provider. */
export const isWithoutProvider: RawBuilder<boolean> = sql`provider_id || '' is null`
