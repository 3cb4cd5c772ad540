export type { AgentsOf, AgentStore } from './agent.ts'
export { createRevocationAnnouncements } from './announce-revocations.ts'
export type { AuthenticationRecord, AuthorizationCodeStore, Possession } from './authorization-code.ts'
export { changeTypes } from './change.ts'
export type { ChangeRecord, ChangeStore } from './change.ts'
export type { AgentRecord, ClientStore, StatusClient } from './client.ts'
export type { CursorRecord, CursorStore } from './cursor.ts'
export type { CustomResourceRecord, CustomResourceState, CustomResourceStore } from './custom-resource.ts'
export { slowedInterval } from './decoupled-request.ts'
export type {
  ApprovalRecord,
  DecideOutcome,
  Decision,
  DecoupledRequestRecord,
  DecoupledRequestStore,
  PollOutcome,
} from './decoupled-request.ts'
export { countLimit } from './delivery.ts'
export type {
  DeliveryCounts,
  DeliveryQuery,
  DeliveryResult,
  DeliveryStore,
  LeaseRequest,
  NewDelivery,
  RequeueOutcome,
  SettleOutcome,
} from './delivery.ts'
export type { DirectoryRoles } from './directory-roles.ts'
export { findCandidates, knownMembers } from './filter/find-candidates.ts'
export type { Candidates, TextLookup } from './filter/find-candidates.ts'
export { compareText } from './filter/matches-filter.ts'
export type { ResourcePredicate } from './filter/matches-filter.ts'
export { comparisonsOf } from './filter/resolved-filter.ts'
export type {
  ComparisonCosts,
  FilterAttribute,
  FilterShape,
  OrderOperator,
  TextOperator,
} from './filter/resolved-filter.ts'
export type { GrantInsertOutcome, GrantStore } from './grant.ts'
export type {
  GroupChangeOutcome,
  GroupMember,
  GroupRecord,
  GroupState,
  GroupStore,
  MemberChange,
  NewGroup,
} from './group.ts'
export type { DeprovisioningCount, IdentityProviderRecord, IdentityProviderStore } from './identity-provider.ts'
export type { InitialAccessTokenRecord, InitialAccessTokenStore, SpendOutcome } from './initial-access-token.ts'
export type { InteractionLogin, InteractionStore } from './interaction.ts'
export type { LogEntryRecord, LogStore } from './log-entry.ts'
export type { OpaqueTokenStore } from './opaque-token.ts'
export type {
  MembershipInsertOutcome,
  MembershipRecord,
  OrganizationRecord,
  OrganizationStore,
} from './organization.ts'
export {
  aBoolean,
  aFunction,
  aListOfStrings,
  aNumber,
  anObject,
  anObjectWith,
  aStorage,
  aNonEmptyString,
  aString,
  aStringMatching,
  checkOptions,
  listOf,
  oneOf,
  optionsOf,
  required,
  wholeNumber,
} from './options.ts'
export type { OptionCheck, OptionChecks, RequiredOption } from './options.ts'
export { listRows } from './memory/list-page.ts'
export { untilSettled } from './outcome.ts'
export type { ConsumeOutcome, InsertOutcome, ReplayOutcome, RevokeOutcome, SwapOutcome } from './outcome.ts'
export type {
  GroupReference,
  IndexedAttribute,
  ListedUserRecord,
  NewProvisionedUser,
  ProvisionOutcome,
  ProvisionedState,
  SameResourceState,
  ProvisionedUserChange,
  ProvisionedUserStore,
  RemovalOutcome,
  RemovalRequest,
  TakenKey,
} from './provisioned-user.ts'
export { indexedValues } from './provisioned-user.ts'
export type { PushedRequestRecord, PushedRequestStore } from './pushed-request.ts'
export type { SecretRecord } from './records/define-record.ts'
export type { ReplayPurpose, ReplayStore } from './replay.ts'
export type { ListOutcome, ListPage, ListPosition, ListQuery, SortKey } from './resource-list.ts'
export type { Revocation, RevocationList, RevocationStore } from './revocation.ts'
export type {
  BoundSession,
  SessionEnd,
  SessionEndReason,
  SessionJoin,
  SessionJoinOutcome,
  SessionParticipantRecord,
  SessionStore,
} from './session.ts'
export type { SigningKeyStore } from './signing-key.ts'
export type { AccessTokenKey, FamilyStatus, GrantStatus, SessionStatus, StatusStore } from './status.ts'
export { isDeliveryStorage, requireStores } from './storage.ts'
export type { ExpiringStores, PurgeOutcome, PurgeStore } from './storage.ts'
export { maxParents, retryWindowsInTotal } from './token-family.ts'
export type { SubjectOutcome, SubjectRecord, SubjectStore } from './subject.ts'
export type {
  Lineage,
  FamilyInsertOutcome,
  RefreshRecord,
  RotateOutcome,
  RotateRequest,
  TokenFamilyStore,
} from './token-family.ts'
export type {
  HostUser,
  LifecycleOutcome,
  NewUser,
  SearchableUserStore,
  UpsertOutcome,
  UpsertRequest,
  UserStore,
} from './user.ts'
export type { ProvisioningTargetRecord, StreamRecord, WebhookRecord, WebhookStore } from './webhook.ts'
export { changeRetention } from './change.ts'
export type {
  FamilyId,
  GrantId,
  GroupId,
  InitialAccessTokenId,
  KeyId,
  OrganizationId,
  ProviderId,
  SecretDigest,
  SessionId,
  JsonText,
} from './values.ts'
export { initialAccessTokenId, jsonText, secretDigest, utf8Length } from './values.ts'
