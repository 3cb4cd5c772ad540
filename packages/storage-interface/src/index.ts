export type { AuthorizationCodeRecord } from './authorization-code.ts'
export type { ClientRecord, TokenEndpointAuthMethod } from './client.ts'
export type { DeliveryRecord } from './delivery.ts'
export { matchesFilter } from './filter/matches-filter.ts'
export type { ResolvedFilter } from './filter/resolved-filter.ts'
export type { GrantRecord } from './grant.ts'
export type { InteractionRecord } from './interaction.ts'
export type { OpaqueTokenRecord } from './opaque-token.ts'
export { StorageUnavailableError } from './outcome.ts'
export type { ProvisionedUserRecord } from './provisioned-user.ts'
export { revocationRetention } from './revocation.ts'
export type { RevocationRecord } from './revocation.ts'
export type { SessionRecord } from './session.ts'
export type { SigningKeyRecord } from './signing-key.ts'
export { composeStorage } from './storage.ts'
export type { AdminStorage, CompleteOAuthStorage, DeliveryStorage, OAuthStorage, ScimStorage } from './storage.ts'
export { retryWindowsInTotal } from './token-family.ts'
export type { TokenFamilyRecord } from './token-family.ts'
export type { UserRecord } from './user.ts'
export {
  clientId,
  familyId,
  grantId,
  groupId,
  keyId,
  organizationId,
  providerId,
  sessionId,
  userId,
  after,
  epochSeconds,
  seconds,
} from './values.ts'
export type { Brand, ClientId, UserId, JsonObject, JsonValue, DurationSeconds, EpochSeconds } from './values.ts'
