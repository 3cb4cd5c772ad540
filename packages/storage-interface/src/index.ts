export type { AuthenticationRecord, AuthorizationCodeRecord, AuthorizationCodeStore } from './authorization-code.ts'
export type { Brand } from './identifiers.ts'
export type { ReplayPurpose, ReplayStore } from './replay.ts'
export type { ClientRecord, ClientStore, TokenEndpointAuthMethod } from './client.ts'
export { composeStorage } from './storage.ts'
export type { ExpiringStores } from './storage.ts'
export { revocationRetention } from './revocation.ts'
export type { Revocation, RevocationList, RevocationRecord, RevocationStore } from './revocation.ts'
export type { SecretRecord } from './records/define-record.ts'
export type { GrantInsertOutcome, GrantRecord, GrantStore } from './grant.ts'
export { compareText } from './filter/matches-filter.ts'
export { comparisonsOf } from './filter/resolved-filter.ts'
export type { FilterShape, FilterWork } from './filter/resolved-filter.ts'
export { findCandidates } from './filter/find-candidates.ts'
export type { Candidates, TextLookup } from './filter/find-candidates.ts'
export { matchesFilter } from './filter/matches-filter.ts'
export type { ResourcePredicate } from './filter/matches-filter.ts'
export type { FilterAttribute, OrderOperator, ResolvedFilter, TextOperator } from './filter/resolved-filter.ts'
export type {
  GroupChangeOutcome,
  GroupMember,
  GroupRecord,
  GroupState,
  GroupStore,
  MemberChange,
  NewGroup,
} from './group.ts'
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
export type { IdentityProviderRecord, IdentityProviderStore, DeprovisioningCount } from './identity-provider.ts'
export type { InteractionLogin, InteractionRecord, InteractionStore } from './interaction.ts'
export { jsonText } from './json.ts'
export type { JsonObject, JsonText, JsonValue } from './json.ts'
export { knownMembers } from './filter/find-candidates.ts'
export type { LogEntryRecord, LogStore } from './log-entry.ts'
export type { ReplayOutcome, ConsumeOutcome, RevokeOutcome, InsertOutcome, SwapOutcome } from './outcome.ts'
export type {
  MembershipInsertOutcome,
  MembershipRecord,
  OrganizationRecord,
  OrganizationStore,
} from './organization.ts'
export type { OpaqueTokenRecord, OpaqueTokenStore } from './opaque-token.ts'
export type {
  GroupReference,
  ListedUserRecord,
  NewProvisionedUser,
  ProvisionedState,
  ProvisionedUserChange,
  ProvisionedUserRecord,
  ProvisionedUserStore,
  ProvisionOutcome,
  RemovalOutcome,
  RemovalRequest,
  TakenKey,
} from './provisioned-user.ts'
export type { PurgeOutcome, PurgeStore } from './storage.ts'
export type { ListOutcome, ListPage, ListPosition, ListQuery, SortKey } from './resource-list.ts'
export type { SessionRecord, SessionStore } from './session.ts'
export type { SigningKeyRecord, SigningKeyStore } from './signing-key.ts'
export type { FamilyStatus, GrantStatus, SessionStatus, StatusStore } from './status.ts'
export { StorageUnavailableError } from './outcome.ts'
export { requireStores } from './storage.ts'
export type { AdminStorage, OAuthStorage, ScimStorage } from './storage.ts'
export { after, epochSeconds, seconds } from './time.ts'
export type { DurationSeconds, EpochSeconds } from './time.ts'
export type {
  FamilyInsertOutcome,
  RefreshRecord,
  RotateOutcome,
  RotateRequest,
  TokenFamilyRecord,
  TokenFamilyStore,
} from './token-family.ts'
export { untilSettled } from './outcome.ts'
export type { LifecycleOutcome, NewUser, SearchableUserStore, UserRecord, UserStore } from './user.ts'
