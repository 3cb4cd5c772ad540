import { sql } from 'kysely'
import type { Sql } from './json-search.ts'
import type { Parameter } from './statement.ts'

/**
 * Of an account or a group that is looked up by its identifier: that it is the provider's. Not a plain comparison: that
 * would lead to an index by provider, where SQLite then looks at every row of the provider's.
 */
export const isProviders = (p: Parameter<'provider_id'>): Sql => sql`provider_id || '' = ${p('provider_id')}`
