import type { AdminStorage, CompleteOAuthStorage, DeliveryStorage, OAuthStorage, ScimStorage } from '../storage.ts'
import type { StorageLaw } from './law.ts'
import { isolationLaws, recordLaws } from './laws/isolation-laws.ts'
import { completeRecords, deliveryRecords, oauthRecords, scimRecords } from './record-kinds.ts'
import { userListLaws, logLaws } from './laws/administration-laws.ts'
import { replayLaws, signingKeyLaws } from './laws/replay-laws.ts'
import { changeLaws, directoryChangeLaws } from './laws/change-laws.ts'
import { clientLaws, clientRemovalLaws } from './laws/client-laws.ts'
import { customResourceLaws } from './laws/custom-resource-laws.ts'
import { decoupledRequestLaws } from './laws/decoupled-request-laws.ts'
import { deliveryLaws as deliveryStoreLaws } from './laws/delivery-laws.ts'
import { cursorLaws } from './laws/cursor-laws.ts'
import { codeLaws, interactionLaws } from './laws/code-laws.ts'
import { familyRevocationLaws, rotationLaws } from './laws/family-laws.ts'
import { retryLaws } from './laws/retry-laws.ts'
import { provisioningRevocationLaws, revocationLaws } from './laws/revocation-laws.ts'
import { revocationListLaws } from './laws/revocation-list-laws.ts'
import { grantLaws } from './laws/grant-laws.ts'
import { statusLaws } from './laws/status-laws.ts'
import { groupLaws } from './laws/group-laws.ts'
import { identityProviderLaws } from './laws/identity-provider-laws.ts'
import { listFilterLaws } from './laws/filter-laws.ts'
import { listPageLaws } from './laws/list-laws.ts'
import { listAttributeLaws } from './laws/list-member-laws.ts'
import { listSortLaws } from './laws/list-sort-laws.ts'
import { memberLaws, memberRaceLaws } from './laws/group-member-laws.ts'
import { initialAccessTokenLaws } from './laws/initial-access-token-laws.ts'
import { membershipLaws, organizationLaws, providerMembershipLaws } from './laws/organization-laws.ts'
import { opaqueTokenLaws } from './laws/opaque-token-laws.ts'
import { pushedRequestLaws } from './laws/pushed-request-laws.ts'
import { participantLaws, sessionLaws } from './laws/session-laws.ts'
import { providerIsolationLaws, provisioningIsolationLaws } from './laws/provider-isolation-laws.ts'
import { subjectLaws } from './laws/subject-laws.ts'
import { uniqueValueLaws } from './laws/unique-value-laws.ts'
import { blockedUserLaws } from './laws/blocked-user-laws.ts'
import { formerKeyLaws } from './laws/former-key-laws.ts'
import { provisionedChangeLaws } from './laws/provisioned-change-laws.ts'
import { provisionedUserLaws } from './laws/provisioned-user-laws.ts'
import { provisionedLinkLaws, provisionedRemovalLaws } from './laws/provisioned-removal-laws.ts'
import { removedUserLaws } from './laws/removed-user-laws.ts'
import { provisioningRoundTripLaws } from './laws/provisioning-round-trip-laws.ts'
import { purgeLaws } from './laws/purge-laws.ts'
import { roundTripLaws } from './laws/round-trip-laws.ts'
import { upsertLaws } from './laws/upsert-laws.ts'
import { userLaws } from './laws/user-laws.ts'

/**
 * The laws that a storage for an authorization server must keep. Loop over them in the test runner of your choice:
 * `await law.run(makeStore)` resolves if the store keeps the law, and rejects with `LawViolationError` if it does not.
 */
export const oauthLaws: readonly StorageLaw[] = [
  ...codeLaws,
  ...rotationLaws,
  ...retryLaws,
  ...familyRevocationLaws,
  ...userLaws,
  ...grantLaws,
  ...clientLaws,
  ...clientRemovalLaws,
  ...interactionLaws,
  ...pushedRequestLaws,
  ...sessionLaws,
  ...participantLaws,
  ...opaqueTokenLaws,
  ...signingKeyLaws,
  ...replayLaws,
  ...revocationLaws,
  ...revocationListLaws,
  ...statusLaws,
  ...roundTripLaws,
  ...recordLaws<OAuthStorage>(oauthRecords),
  ...isolationLaws,
  ...purgeLaws,
]

/**
 * The laws of the two stores that a `DeliveryStorage` adds. Run `oauthLaws` as well: they check the other stores.
 */
export const deliveryLaws: readonly StorageLaw<DeliveryStorage>[] = [
  ...deliveryStoreLaws,
  ...cursorLaws,
  ...recordLaws<DeliveryStorage>(deliveryRecords),
]

/** The laws of a storage for a SCIM server. They include `oauthLaws`. */
export const scimLaws: readonly StorageLaw<ScimStorage>[] = [
  ...oauthLaws,
  ...identityProviderLaws,
  ...provisionedUserLaws,
  ...uniqueValueLaws,
  ...provisionedChangeLaws,
  ...blockedUserLaws,
  ...formerKeyLaws,
  ...provisionedLinkLaws,
  ...removedUserLaws,
  ...provisionedRemovalLaws,
  ...provisioningRevocationLaws,
  ...groupLaws,
  ...memberLaws,
  ...memberRaceLaws,
  ...customResourceLaws,
  ...provisioningRoundTripLaws,
  ...recordLaws<ScimStorage>(scimRecords),
  ...provisioningIsolationLaws,
  ...providerIsolationLaws,
  ...listPageLaws,
  ...listSortLaws,
  ...listFilterLaws,
  ...listAttributeLaws,
]

/** The laws of a storage with every store but those of directories. They include `oauthLaws` and `deliveryLaws`. */
export const completeOAuthLaws: readonly StorageLaw<CompleteOAuthStorage>[] = [
  ...oauthLaws,
  ...deliveryLaws,
  ...changeLaws,
  ...organizationLaws,
  ...membershipLaws,
  ...initialAccessTokenLaws,
  ...subjectLaws,
  ...decoupledRequestLaws,
  ...logLaws,
  ...recordLaws<CompleteOAuthStorage>(completeRecords),
]

/** All laws, for an `AdminStorage`. They include `scimLaws` and `completeOAuthLaws`. */
export const adminLaws: readonly StorageLaw<AdminStorage>[] = [
  ...new Set<StorageLaw<AdminStorage>>([...scimLaws, ...completeOAuthLaws]),
  ...userListLaws,
  ...upsertLaws,
  ...directoryChangeLaws,
  ...providerMembershipLaws,
]
