import { defineResourceType, defineSchema, type ResourceType } from '@mintmark/scim'

import type { CustomFields } from '../custom-field/custom-field.ts'

/**
 * What filters of accounts are about (RFC 7644 §3.4.2.2): `id`, `active`, `provider`, `created`, `updated`, and
 * `claims.*`: the claims of OpenID Connect that have one value, and custom fields that are claims. Text is compared
 * case for case, as storage has it.
 */
export function userTypeWithFields(fields: CustomFields): ResourceType {
  const own = [...fields.values()].flatMap(({ claim, type = 'string' }) =>
    claim === undefined ? [] : [{ name: claim, type }],
  )
  const ownNames = new Set(own.map(({ name }) => name.toLowerCase()))
  const standard = standardClaims.filter(({ name }) => !ownNames.has(name))
  const type = defineResourceType({
    name: 'Account',
    endpoint: '/accounts',
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
          subAttributes: [...standard, ...own].map((claim) => ({ ...claim, caseExact: true })),
        },
      ],
    }),
  })
  // An account has no schemas, externalId or meta: a filter about them finds nobody, and is refused for it.
  const attributes = type.attributes.filter(({ name }) => known.has(name))
  return {
    ...type,
    attributes,
    attributesByName: new Map(attributes.map((attribute) => [attribute.name.toLowerCase(), attribute])),
  }
}

const text = (...names: readonly string[]) => names.map((name) => ({ name, type: 'string' as const }))

/** OIDC Core §5.1. */
const standardClaims = [
  ...text(
    'name',
    'given_name',
    'family_name',
    'middle_name',
    'nickname',
    'preferred_username',
    'profile',
    'picture',
    'website',
  ),
  ...text('email', 'gender', 'birthdate', 'zoneinfo', 'locale', 'phone_number'),
  { name: 'email_verified', type: 'boolean' as const },
  { name: 'phone_number_verified', type: 'boolean' as const },
]

const known: ReadonlySet<string> = new Set(['id', 'active', 'provider', 'created', 'updated', 'claims'])
