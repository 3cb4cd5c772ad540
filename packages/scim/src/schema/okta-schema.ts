import { type AttributeOptions, defineSchema } from './schema.ts'
import { defineResourceType } from './resource-type.ts'

// Okta documents these types in "Build a SCIM 2.0 server with entitlements" (seen 2026). Okta supports both
// schemas. It reads all resources of each type with one of these schemas, and pages by index. The `roles` and `entitlements` of
// a user refer to a resource by `value`.

const displayName: AttributeOptions = {
  name: 'displayName',
  required: true,
  description: 'The name that administrators see.',
}

const description: AttributeOptions = {
  name: 'description',
  description: 'The permissions that it grants.',
}

/** The roles of a product, as Okta Identity Governance reads them at `/Roles`. */
export const oktaRoleResourceType = defineResourceType({
  name: 'Role',
  endpoint: '/Roles',
  schema: defineSchema({
    id: 'urn:okta:scim:schemas:core:1.0:Role',
    name: 'Role',
    description: 'A role that users can have.',
    attributes: [displayName, description],
  }),
})

/**
 * The entitlements of a product, as Okta Identity Governance reads them at `/Entitlements`. Further types, such as
 * licences at `/Licenses`, are resource types with the same schema: `oktaEntitlementResourceType.schema`.
 */
export const oktaEntitlementResourceType = defineResourceType({
  name: 'Entitlement',
  endpoint: '/Entitlements',
  schema: defineSchema({
    id: 'urn:okta:scim:schemas:core:1.0:Entitlement',
    name: 'Entitlement',
    description: 'Something that users can be entitled to.',
    attributes: [
      displayName,
      { name: 'type', required: true, description: 'The name of the resource type, such as License.' },
      description,
    ],
  }),
})
