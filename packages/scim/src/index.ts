export type { AccessTokens } from './providers/authenticate-provider.ts'
export { renderScimError } from './error/render-scim-error.ts'
export type { ScimErrorBody } from './error/render-scim-error.ts'
export type { ScimRefusalReason } from './error/refusals.ts'
export { ScimError } from './error/scim-error.ts'
export type { ScimErrorType } from './error/scim-error-type.ts'
export type { AnsweredRequest } from './event/answered-request.ts'
export { revokedAccess } from './event/ended-access.ts'
export { logScimEvents } from './event/log-scim-events.ts'
export type {
  UserDeprovisioned,
  RevokedAccess,
  ScimEvent,
  ScimOccurrence,
  ScimRequestRefused,
} from './event/scim-event.ts'
export { filterLimits } from './filter/filter-tokens.ts'
export type {
  CompareNode,
  ComparisonOperator,
  FilterLiteral,
  FilterNode,
  PresentNode,
  ValuePathNode,
} from './filter/filter-node.ts'
export { parseFilter } from './filter/parse-filter.ts'
export { printFilter } from './filter/filter-node.ts'
export { resolveFilter } from './filter/resolve-filter.ts'
export type { DeprovisioningLimit } from './deprovisioning/deprovisioning-limiter.ts'
export { applyPatch } from './patch/apply-patch.ts'
export type { PatchResult } from './patch/apply-patch.ts'
export { maximumOperations, parsePatch } from './patch/parse-patch.ts'
export { parsePath } from './patch/patch-path.ts'
export type { PathNode } from './patch/patch-path.ts'
export type { PatchOperation } from './patch/parse-patch.ts'
export type { AttributeTarget, ElementSelection, PatchTarget } from './patch/patch-path.ts'
export { resolvePath } from './patch/patch-path.ts'
export { addProviderSecret, revokePreviousProviderSecrets } from './providers/registration.ts'
export { ProviderError } from './providers/registration.ts'
export type { ProviderErrorReason } from './providers/registration.ts'
export { registerIdentityProvider } from './providers/registration.ts'
export type { ProviderDependencies, ProviderRegistration, RegisteredProvider } from './providers/registration.ts'
export { comparableResource } from './resource/comparable-resource.ts'
export { parseProjection, splitAttributeNames } from './resource/project-resource.ts'
export type { RequestedAttributes } from './resource/project-resource.ts'
export { parseResource } from './resource/parse-resource.ts'
export type { ParsedResource } from './resource/parse-resource.ts'
export { projectResource } from './resource/project-resource.ts'
export { replaceResource } from './resource/replace-resource.ts'
export type { ReplacedResource } from './resource/replace-resource.ts'
export type { AttributeName } from './schema/find-attribute.ts'
export type { Attribute, AttributeOptions, AttributeType, Mutability, Returned, Uniqueness } from './schema/schema.ts'
export { defineAttribute } from './schema/schema.ts'
export { defineResourceType } from './schema/resource-type.ts'
export type { ResourceType, ResourceTypeOptions, SchemaExtension } from './schema/resource-type.ts'
export { defineSchema } from './schema/schema.ts'
export type { Schema, SchemaOptions } from './schema/schema.ts'
export { enterpriseUserSchema } from './schema/user-schema.ts'
export { groupSchema } from './schema/group-schema.ts'
export { renderResourceType, renderSchema } from './discovery/discovery.ts'
export { groupResourceType } from './schema/group-schema.ts'
export { userResourceType } from './schema/user-schema.ts'
export type { Projection } from './schema/projection.ts'
export { userSchema } from './schema/user-schema.ts'
export { createScimServer } from './server/create-scim-server.ts'
export type { ScimServer } from './server/create-scim-server.ts'
export type { ScimServerOptions } from './server/scim-options.ts'
export { tenantUrl } from './server/scim-path.ts'
export type { ProviderLogin, ProviderSignIn } from './sign-in/sign-in-from-provider.ts'
export { foldCase } from './values/text.ts'
export type { TextRule } from './values/text.ts'
export { toleranceProfiles } from './tolerance/tolerances.ts'
export type { ToleranceProfile } from './tolerance/tolerances.ts'
export {
  allTolerances,
  entraTolerances,
  generalTolerances,
  oktaTolerances,
  oneLoginTolerances,
  strictTolerances,
} from './tolerance/tolerances.ts'
export { toleranceDefinitions } from './tolerance/tolerances.ts'
export type { AppliedTolerance, Tolerance, ToleranceDefinition, Tolerances } from './tolerance/tolerances.ts'
export type { ClaimChanges } from './users/user-claims.ts'
export type { LinkCandidate, ProposedChange, ProvisioningHooks } from './users/user-dependencies.ts'
