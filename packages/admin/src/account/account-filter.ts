import { parseFilter, resolveFilter, type ResourceType } from '@mintmark/scim'
import type { FilterAttribute, JsonObject, ResolvedFilter, UserRecord } from '@mintmark/storage-interface'

/**
 * A filter of accounts as storage takes it.
 * @throws ScimError invalidFilter.
 */
export const userFilter = (text: string, type: ResourceType): ResolvedFilter => resolveFilter(parseFilter(text), type)

/** Accounts that are in use. */
export const isActive: ResolvedFilter = Object.freeze({
  kind: 'boolean',
  attribute: attribute('active'),
  operator: 'eq',
  value: true,
})

/** The account with an identifier. */
export const hasId = (id: string): ResolvedFilter => ({
  kind: 'text',
  attribute: attribute('id'),
  operator: 'eq',
  value: id,
})

/** An account as filters look at it. Its provider is not in it: only storage knows that. */
export const comparableUser = ({ userId, active, createdAt, updatedAt, claims }: UserRecord): JsonObject => ({
  id: userId,
  active,
  created: createdAt * 1000,
  updated: updatedAt * 1000,
  claims,
})

function attribute(name: string): FilterAttribute {
  return { extension: undefined, name, subName: undefined, multiValued: false }
}
