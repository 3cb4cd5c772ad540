import type { ListQuery } from '@mintmark/storage-interface'
import { sql } from 'kysely'
import type { FilterValues } from '../filter/filter-template.ts'
import { isProviders } from '../is-providers.ts'
import type { ListedRows } from './listed-kind.ts'

/** The rows of a provider. @param kind how the table of totals calls them. */
export const providerRows = (kind: 'User' | 'Group'): ListedRows => ({
  every: (p) => sql`issuer = ${p('issuer')} and provider_id = ${p('provider_id')}`,
  one: isProviders,
  total: (p) => sql`coalesce((select total from mintmark_provider_totals
    where issuer = ${p('issuer')} and provider_id = ${p('provider_id')} and kind = ${sql.lit(kind)}), 0)`,
})

/** What the conditions are bound to. */
export const providerOf = ({ providerId }: ListQuery): FilterValues => ({ provider_id: providerId })
