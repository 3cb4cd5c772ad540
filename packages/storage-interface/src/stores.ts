export type { AuthorizationCodeStore } from './authorization-code.ts'
export type { ClientStore } from './client.ts'
export type { FilterAttribute, OrderOperator, ResolvedFilter, TextOperator } from './filter/resolved-filter.ts'
export type { GrantInsertOutcome, GrantStore } from './grant.ts'
export type { GroupChangeOutcome, GroupMember, GroupState, GroupStore, MemberChange, NewGroup } from './group.ts'
export type { IdentityProviderStore, DeprovisioningCount } from './identity-provider.ts'
export type { InteractionStore } from './interaction.ts'
export type { LogStore } from './log-entry.ts'
export type { OpaqueTokenStore } from './opaque-token.ts'
export type { MembershipInsertOutcome, OrganizationStore } from './organization.ts'
export type { ReplayOutcome, ConsumeOutcome, RevokeOutcome, InsertOutcome, SwapOutcome } from './outcome.ts'
export type {
  GroupReference,
  ListedUserRecord,
  NewProvisionedUser,
  ProvisionedState,
  ProvisionedUserChange,
  ProvisionedUserStore,
  ProvisionOutcome,
  RemovalOutcome,
  RemovalRequest,
  TakenKey,
} from './provisioned-user.ts'
export type { ReplayPurpose, ReplayStore } from './replay.ts'
export type { ListOutcome, ListPage, ListPosition, ListQuery, SortKey } from './resource-list.ts'
export type { RevocationList, RevocationStore } from './revocation.ts'
export type { SessionStore } from './session.ts'
export type { SigningKeyStore } from './signing-key.ts'
export type { FamilyStatus, GrantStatus, SessionStatus, StatusStore } from './status.ts'
export type { PurgeOutcome, PurgeStore } from './storage.ts'
export type { FamilyInsertOutcome, RotateOutcome, RotateRequest, TokenFamilyStore } from './token-family.ts'
export type { LifecycleOutcome, SearchableUserStore, UserStore } from './user.ts'
export { matchesFilter } from './filter/matches-filter.ts'
export { compareText } from './filter/matches-filter.ts'
export type { ResourcePredicate } from './filter/matches-filter.ts'
export { comparisonsOf } from './filter/resolved-filter.ts'
export type { FilterShape, FilterWork } from './filter/resolved-filter.ts'
export { findCandidates, knownMembers } from './filter/find-candidates.ts'
export type { Candidates, TextLookup } from './filter/find-candidates.ts'
export { untilSettled } from './outcome.ts'
export { requireStores } from './storage.ts'
