import type { JsonObject, JsonValue, ResolvedFilter, ScimStorage } from '@mintmark/storage-interface'
import { type IndexedAttribute, indexedValues, type ProviderId } from '@mintmark/storage-interface/stores'

import { refuse } from '../error/scim-error.ts'
import { countMatches, type CountQuery, countQuery } from '../list/count-query.ts'
import { indexedAttributesOf } from '../schema/indexed-attributes.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import { getText } from '../values/json.ts'

/**
 * Refuses a new user whose userName or unique value another user of the provider has. Storage refuses such a user too;
 * this is for a user who is refused before it is inserted.
 * @param comparable the new user in the form in which users are compared.
 * @throws ScimError 409 — reasons `user_name_taken`, `value_taken`.
 */
export async function requireFreeKeys(
  comparable: JsonObject,
  providerId: ProviderId,
  { storage, userType }: { readonly storage: ScimStorage; readonly userType: ResourceType },
): Promise<void> {
  const findsUser = async (query: CountQuery): Promise<boolean> => {
    const found = await storage.provisionedUsers.list({ providerId, ...query })
    return found.outcome === 'listed' && found.total > 0
  }
  const userName = getText(comparable, 'userName')
  // RFC 7644 §3.3, 409 uniqueness: another user has the userName.
  if (userName !== undefined && (await findsUser(countQuery('userName', userName)))) throw refuse('user_name_taken')
  const unique = indexedAttributesOf(userType).filter(({ isUnique }) => isUnique)
  for (const filter of unique.flatMap((indexed) => equalities(indexed, comparable))) {
    // RFC 7643 §7 uniqueness: another user has a value that the host's schema makes unique.
    if (await findsUser(countMatches(filter))) throw refuse('value_taken')
  }
}

/** Returns a filter for each value of an attribute in a user. */
function equalities(indexed: IndexedAttribute, user: JsonObject): readonly ResolvedFilter[] {
  const { attribute, elementPart } = indexed
  const values = indexedValues(indexed, user)
  if (elementPart === undefined) return values.flatMap((value) => equality(attribute, value))
  const part = { extension: undefined, name: elementPart, subName: undefined, multiValued: false }
  return values.flatMap((value) =>
    equality(part, value).map((where) => ({ kind: 'element', attribute, where }) as const),
  )
}

/** Returns a filter that compares with the value, which is a string or a number for a unique attribute. */
function equality(attribute: IndexedAttribute['attribute'], value: JsonValue): readonly ResolvedFilter[] {
  if (typeof value === 'string') return [{ kind: 'text', attribute, operator: 'eq', value }]
  return typeof value === 'number' ? [{ kind: 'number', attribute, operator: 'eq', value }] : []
}
