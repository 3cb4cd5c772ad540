import { createScimServer, defineResourceType, oktaEntitlementResourceType, oktaRoleResourceType } from '@mintmark/scim'
import type { AdminStorage, JsonObject } from '@mintmark/storage-interface'

/** The licences of your product: a separate resource type with Okta's schema for entitlements. */
const licenseType = defineResourceType({
  name: 'License',
  endpoint: '/Licenses',
  schema: oktaEntitlementResourceType.schema,
})

const roles = [
  { id: 'viewer', displayName: 'Viewer', description: 'Reads everything' },
  { id: 'editor', displayName: 'Editor', description: 'Changes documents' },
]

export const createScim = (storage: AdminStorage, licensesOf: (provider: string) => Promise<readonly string[]>) =>
  createScimServer({
    issuer: storage.issuer,
    storage,
    resourceTypes: [
      { resourceType: oktaRoleResourceType, resources: roles },
      {
        resourceType: licenseType,
        resources: async ({ providerId }) =>
          (await licensesOf(providerId)).map((id) => ({ id, displayName: id, type: 'License' })),
      },
    ],
    claims: (user) => ({ roles: knownRoles(user) }),
  })

/** Returns the user's roles that your product knows. A directory can send any string as a role. */
function knownRoles({ roles: userRoles }: JsonObject): readonly string[] {
  const values = Array.isArray(userRoles) ? (userRoles as readonly JsonObject[]).map(({ value }) => value) : []
  return roles.map(({ id }) => id).filter((id) => values.includes(id))
}
