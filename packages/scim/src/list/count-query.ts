import type { ResolvedFilter } from '@mintmark/storage-interface'
import type { ListQuery } from '@mintmark/storage-interface/stores'

export type CountQuery = Omit<ListQuery, 'providerId'>

/** Returns a query that counts the resources whose attribute has this value. It reads none of them. */
export const countQuery = (name: string, value: string): CountQuery =>
  countMatches({
    kind: 'text',
    attribute: { extension: undefined, name, subName: undefined, multiValued: false },
    operator: 'eq',
    value,
  })

/** Returns a query that counts the resources that match a filter. */
export const countMatches = (filter: ResolvedFilter): CountQuery => ({
  filter,
  sort: undefined,
  page: { kind: 'index', offset: 0, limit: 0 },
})
