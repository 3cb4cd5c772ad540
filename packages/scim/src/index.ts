export type { AccessTokens, ActiveAccessToken } from './authentication/access-tokens.ts'
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
export { filterLimits } from './filter/filter-limits.ts'
export type {
  CompareNode,
  ComparisonOperator,
  FilterLiteral,
  FilterNode,
  PresentNode,
  ValuePathNode,
} from './filter/filter-node.ts'
export { parseFilter } from './filter/parse-filter.ts'
export { printFilter } from './filter/print-filter.ts'
export { resolveFilter } from './filter/resolve-filter.ts'
export type { DeprovisioningLimit } from './deprovisioning/deprovisioning-limit.ts'
export { applyPatch } from './patch/apply-patch.ts'
export type { PatchResult } from './patch/apply-patch.ts'
export { maximumOperations, parsePatch } from './patch/parse-patch.ts'
export { parsePath } from './patch/parse-path.ts'
export type { PathNode } from './patch/parse-path.ts'
export type { PatchOperation } from './patch/patch-operation.ts'
export type { AttributeTarget, ElementSelection, PatchTarget } from './patch/patch-target.ts'
export { resolvePath } from './patch/resolve-path.ts'
export { addProviderSecret, endPreviousProviderSecrets } from './provider/provider-secrets.ts'
export { ProviderError } from './provider/provider-error.ts'
export type { ProviderErrorReason } from './provider/provider-error.ts'
export { registerIdentityProvider } from './provider/register-identity-provider.ts'
export type {
  ProviderDependencies,
  ProviderRegistration,
  RegisteredProvider,
} from './provider/register-identity-provider.ts'
export { comparableResource } from './resource/comparable-resource.ts'
export { parseProjection, splitAttributeNames } from './resource/parse-projection.ts'
export type { RequestedAttributes } from './resource/parse-projection.ts'
export { parseResource } from './resource/parse-resource.ts'
export type { ParsedResource } from './resource/parse-resource.ts'
export { projectResource } from './resource/project-resource.ts'
export { replaceResource } from './resource/replace-resource.ts'
export type { ReplacedResource } from './resource/replace-resource.ts'
export type { AttributeName } from './schema/attribute-name.ts'
export type {
  Attribute,
  AttributeOptions,
  AttributeType,
  Mutability,
  Returned,
  Uniqueness,
} from './schema/attribute.ts'
export { defineAttribute } from './schema/define-attribute.ts'
export { defineResourceType } from './schema/define-resource-type.ts'
export type { ResourceType, ResourceTypeOptions, SchemaExtension } from './schema/define-resource-type.ts'
export { defineSchema } from './schema/define-schema.ts'
export type { Schema, SchemaOptions } from './schema/define-schema.ts'
export { enterpriseUserSchema } from './schema/enterprise-user-schema.ts'
export { groupSchema } from './schema/group-schema.ts'
export { renderResourceType, renderSchema } from './schema/render-schema.ts'
export { groupResourceType, userResourceType } from './schema/resource-types.ts'
export type { Projection } from './schema/shown-attributes.ts'
export { userSchema } from './schema/user-schema.ts'
export { createScimServer } from './server/create-scim-server.ts'
export type { ScimServer } from './server/create-scim-server.ts'
export type { ScimServerOptions } from './server/scim-options.ts'
export { tenantUrl } from './server/scim-path.ts'
export type { ProviderLogin, ProviderSignIn } from './sign-in/sign-in-from-provider.ts'
export { foldCase } from './text/fold-case.ts'
export type { TextRule } from './text/text-rule.ts'
export { toleranceProfiles } from './tolerance/profile-of.ts'
export type { ToleranceProfile } from './tolerance/profile-of.ts'
export {
  allTolerances,
  entraTolerances,
  generalTolerances,
  oktaTolerances,
  oneLoginTolerances,
  strictTolerances,
} from './tolerance/tolerance-profiles.ts'
export { toleranceDefinitions } from './tolerance/tolerance.ts'
export type { AppliedTolerance, Tolerance, ToleranceDefinition, Tolerances } from './tolerance/tolerance.ts'
export type { ClaimChanges } from './user/user-claims.ts'
export type { LinkCandidate, ProposedChange, ProvisioningHooks } from './user/user-dependencies.ts'
