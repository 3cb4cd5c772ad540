export type { AuthenticationRecord, AuthorizationCodeRecord, AuthorizationCodeStore } from './authorization-code.ts'
export type { Brand } from './brand.ts'
export type { ClaimPurpose, ClaimStore } from './claim.ts'
export type { ClientRecord, ClientSecretRecord, ClientStore, TokenEndpointAuthMethod } from './client.ts'
export { composeStorage } from './compose-storage.ts'
export type { DurableStores, ExpiringStores } from './compose-storage.ts'
export type { GrantInsertOutcome, GrantRecord, GrantStore } from './grant.ts'
export type { ClientId, FamilyId, GrantId, KeyId, SecretDigest, SessionId, UserId } from './identifiers.ts'
export { clientId, familyId, grantId, keyId, secretDigest, sessionId, userId } from './identifiers.ts'
export type { InteractionLogin, InteractionRecord, InteractionStore } from './interaction.ts'
export type { JsonObject, JsonValue } from './json.ts'
export type { ClaimOutcome, ConsumeOutcome, EndOutcome, InsertOutcome, SwapOutcome } from './outcome.ts'
export type { OpaqueTokenRecord, OpaqueTokenStore } from './opaque-token.ts'
export type { PurgeOutcome, PurgeStore } from './purge.ts'
export type { SessionRecord, SessionStore } from './session.ts'
export type { SigningKeyRecord, SigningKeyStore } from './signing-key.ts'
export type { FamilyStanding, GrantStanding, SessionStanding, StandingStore } from './standing.ts'
export { StorageUnavailableError } from './storage-unavailable.ts'
export type { Storage } from './storage.ts'
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
export type { LifecycleOutcome, NewUser, UserRecord, UserStore } from './user.ts'
