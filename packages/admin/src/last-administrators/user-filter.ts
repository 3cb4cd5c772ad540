import { defineResourceType, defineSchema, type ResourceType } from '@mintmark/scim'
import { parseFilter, resolveFilter } from '@mintmark/scim/engine'
import type { JsonObject, ResolvedFilter, UserRecord } from '@mintmark/storage-interface'
import type { FilterAttribute } from '@mintmark/storage-interface/stores'

import type { CustomFields } from '../custom-fields/custom-field.ts'

/**
 * Resolves a filter of users for storage.
 * @throws ScimError `invalidFilter`.
 */
export const userFilter = (text: string, type: ResourceType): ResolvedFilter => resolveFilter(parseFilter(text), type)

/** Matches active users. */
export const isActive: ResolvedFilter = Object.freeze({
  kind: 'boolean',
  attribute: attribute('active'),
  operator: 'eq',
  value: true,
})

/** Returns a filter that matches the user with an identifier. */
export const hasId = (id: string): ResolvedFilter => ({
  kind: 'text',
  attribute: attribute('id'),
  operator: 'eq',
  value: id,
})

/** Returns a user as filters compare them. */
export const comparableUser = ({
  userId,
  active,
  providerId,
  createdAt,
  updatedAt,
  claims,
}: UserRecord): JsonObject => ({
  ...(providerId !== undefined && { provider: providerId }),
  id: userId,
  active,
  created: createdAt * 1000,
  updated: updatedAt * 1000,
  claims,
})

function attribute(name: string): FilterAttribute {
  return { extension: undefined, name, subName: undefined, multiValued: false }
}

/**
 * Returns a resource type with the attributes that filters of users can use (RFC 7644 §3.4.2.2): `id`, `active`,
 * `provider`, `created`, `updated`, and `claims.*`, which are the single-valued claims of OpenID Connect and the custom
 * fields that are claims. Strings are compared case-sensitively.
 */
export function userTypeWithFields(fields: CustomFields): ResourceType {
  const fieldClaims = [...fields.values()].flatMap(({ claim, type = 'string' }) =>
    claim === undefined ? [] : [{ name: claim, type }],
  )
  const fieldClaimNames = new Set(fieldClaims.map(({ name }) => name.toLowerCase()))
  const standard = standardClaims.filter(({ name }) => !fieldClaimNames.has(name))
  const type = defineResourceType({
    name: 'Account',
    endpoint: '/users',
    schema: defineSchema({
      id: 'urn:mintmark:params:scim:schemas:core:2.0:Account',
      name: 'Account',
      attributes: [
        { name: 'active', type: 'boolean' },
        { name: 'provider', caseExact: true },
        { name: 'created', type: 'dateTime' },
        { name: 'updated', type: 'dateTime' },
        {
          name: 'claims',
          type: 'complex',
          subAttributes: [...standard, ...fieldClaims].map((claim) => ({ ...claim, caseExact: true })),
        },
      ],
    }),
  })
  // Users have no schemas, externalId or meta here, so a filter that names them is refused.
  const attributes = type.attributes.filter(({ name }) => knownAttributes.has(name))
  return {
    ...type,
    attributes,
    attributesByName: new Map(attributes.map((known) => [known.name.toLowerCase(), known])),
  }
}

const stringClaims = (...names: readonly string[]) => names.map((name) => ({ name, type: 'string' as const }))

/** OIDC Core §5.1. */
const standardClaims = [
  ...stringClaims('name', 'given_name', 'family_name', 'middle_name', 'nickname', 'preferred_username'),
  ...stringClaims(
    'profile',
    'picture',
    'website',
    'email',
    'gender',
    'birthdate',
    'zoneinfo',
    'locale',
    'phone_number',
  ),
  { name: 'email_verified', type: 'boolean' as const },
  { name: 'phone_number_verified', type: 'boolean' as const },
]

/** Whether identity providers write a claim. The claims of OpenID Connect are derived from SCIM attributes. */
export const isStandardClaim = (name: string | undefined): boolean =>
  name === undefined || standardClaims.some((claim) => claim.name === name)

const knownAttributes: ReadonlySet<string> = new Set(['id', 'active', 'provider', 'created', 'updated', 'claims'])
