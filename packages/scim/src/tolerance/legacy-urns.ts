import { enterpriseUserSchema } from '../schema/enterprise-user-schema.ts'
import type { ResourceType } from '../schema/define-resource-type.ts'
import { nameKey } from '../schema/name-key.ts'

/** The URN that an old or misspelt one stands for, or undefined. */
export function currentUrn(urn: string, resourceType: ResourceType): string | undefined {
  const key = nameKey(urn)
  if (legacyCore.has(key)) return resourceType.schema.id
  return legacyEnterprise.has(key) ? enterpriseUserSchema.id : undefined
}

/** SCIM 1.1 had one URN for users and groups; OneLogin's core template sends it. */
const legacyCore: ReadonlySet<string> = new Set(['urn:scim:schemas:core:1.0'])

const legacyEnterprise: ReadonlySet<string> = new Set([
  // SCIM 1.1.
  'urn:scim:schemas:extension:enterprise:1.0',
  // A colon is missing in an example of Microsoft's documentation, which connectors were built from.
  'urn:ietf:params:scim:schemas:extension:enterprise:2.0user',
])
