export type { AuthenticationRecord, AuthorizationCodeRecord } from './authorization-code.ts'
export type { Brand } from './identifiers.ts'
export type { ClientRecord, TokenEndpointAuthMethod } from './client.ts'
export { composeStorage } from './storage.ts'
export type { ExpiringStores } from './storage.ts'
export { revocationRetention } from './revocation.ts'
export type { Revocation, RevocationRecord } from './revocation.ts'
export type { SecretRecord } from './records/define-record.ts'
export type { GrantRecord } from './grant.ts'
export type { GroupRecord } from './group.ts'
export type {
  ClientId,
  FamilyId,
  GrantId,
  GroupId,
  KeyId,
  OrganizationId,
  ProviderId,
  SecretDigest,
  SessionId,
  UserId,
} from './identifiers.ts'
export {
  clientId,
  familyId,
  grantId,
  groupId,
  keyId,
  organizationId,
  providerId,
  secretDigest,
  sessionId,
  userId,
} from './identifiers.ts'
export type { IdentityProviderRecord } from './identity-provider.ts'
export type { InteractionLogin, InteractionRecord } from './interaction.ts'
export { jsonText } from './json.ts'
export type { JsonObject, JsonText, JsonValue } from './json.ts'
export type { LogEntryRecord } from './log-entry.ts'
export type { MembershipRecord, OrganizationRecord } from './organization.ts'
export type { OpaqueTokenRecord } from './opaque-token.ts'
export type { ProvisionedUserRecord } from './provisioned-user.ts'
export type { SessionRecord } from './session.ts'
export type { SigningKeyRecord } from './signing-key.ts'
export { StorageUnavailableError } from './outcome.ts'
export type { AdminStorage, OAuthStorage, ScimStorage } from './storage.ts'
export { after, epochSeconds, seconds } from './time.ts'
export type { DurationSeconds, EpochSeconds } from './time.ts'
export type { RefreshRecord, TokenFamilyRecord } from './token-family.ts'
export type { NewUser, UserRecord } from './user.ts'
