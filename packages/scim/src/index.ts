export { createScimServer } from './server.ts'
export type { ScimServer } from './server.ts'
export type { ScimServerOptions } from './options.ts'
export type { AgentOptions } from './agents/agent-client.ts'
export type { ProvisioningHooks } from './users/user-dependencies.ts'

export {
  addProviderSecret,
  ProviderError,
  registerIdentityProvider,
  revokePreviousProviderSecrets,
  revokeProviderSecrets,
} from './providers/registration.ts'
export { tenantUrl } from './values/scim-path.ts'
export type { ToleranceProfile } from './tolerance/tolerances.ts'

export { defineAttribute, defineSchema } from './schema/schema.ts'
export type { AttributeOptions, Schema } from './schema/schema.ts'
export { defineResourceType } from './schema/resource-type.ts'
export type { ResourceType } from './schema/resource-type.ts'
export { userResourceType } from './schema/user-schema.ts'
export { groupResourceType } from './schema/group-schema.ts'
export { oktaEntitlementResourceType, oktaRoleResourceType } from './schema/okta-schema.ts'

export { logScimEvents } from './event/log-scim-events.ts'
export type { ScimEvent } from './event/scim-event.ts'
export { ScimError } from './error/scim-error.ts'
export type { ScimRefusalReason } from './error/refusals.ts'
