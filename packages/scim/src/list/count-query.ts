import type { ListQuery } from '@mintmark/storage-interface/stores'

/** Returns a query that counts the resources whose attribute has this value. It reads none of them. */
export const countQuery = (name: string, value: string): Omit<ListQuery, 'providerId'> => ({
  filter: {
    kind: 'text',
    attribute: { extension: undefined, name, subName: undefined, multiValued: false },
    operator: 'eq',
    value,
  },
  sort: undefined,
  page: { kind: 'index', offset: 0, limit: 0 },
})
