import type { AdminStorage, OAuthStorage, ScimStorage } from '../storage.ts'
import type { StorageLaw } from './law.ts'
import { recordLaws } from './laws/record-laws.ts'
import { adminRecords, oauthRecords, scimRecords } from './record-kinds.ts'
import { accountListLaws } from './laws/account-list-laws.ts'
import { replayLaws } from './laws/replay-laws.ts'
import { clientLaws } from './laws/client-laws.ts'
import { clientRemovalLaws } from './laws/client-removal-laws.ts'
import { codeLaws } from './laws/code-laws.ts'
import { deadFamilyLaws } from './laws/dead-family-laws.ts'
import { revocationListLaws } from './laws/revocation-list-laws.ts'
import { provisioningRevocationLaws, revocationLaws } from './laws/revocation-laws.ts'
import { grantLaws } from './laws/grant-laws.ts'
import { groupLaws } from './laws/group-laws.ts'
import { identityProviderLaws } from './laws/identity-provider-laws.ts'
import { interactionLaws } from './laws/interaction-laws.ts'
import { isolationLaws } from './laws/isolation-laws.ts'
import { listFilterLaws } from './laws/list-filter-laws.ts'
import { listKnownLaws } from './laws/list-known-laws.ts'
import { listPageLaws } from './laws/list-page-laws.ts'
import { listSortLaws } from './laws/list-sort-laws.ts'
import { logLaws } from './laws/log-laws.ts'
import { memberLaws } from './laws/member-laws.ts'
import { memberRaceLaws } from './laws/member-race-laws.ts'
import { membershipLaws } from './laws/membership-laws.ts'
import { opaqueTokenLaws } from './laws/opaque-token-laws.ts'
import { organizationLaws } from './laws/organization-laws.ts'
import { providerIsolationLaws } from './laws/provider-isolation-laws.ts'
import { provisionedChangeLaws } from './laws/provisioned-change-laws.ts'
import { provisionedLinkLaws } from './laws/provisioned-link-laws.ts'
import { provisionedRemovalLaws } from './laws/provisioned-removal-laws.ts'
import { provisionedUserLaws } from './laws/provisioned-user-laws.ts'
import { provisioningIsolationLaws } from './laws/provisioning-isolation-laws.ts'
import { provisioningRoundTripLaws } from './laws/provisioning-round-trip-laws.ts'
import { purgeLaws } from './laws/purge-laws.ts'
import { rotationLaws } from './laws/rotation-laws.ts'
import { roundTripLaws } from './laws/round-trip-laws.ts'
import { sessionLaws } from './laws/session-laws.ts'
import { signingKeyLaws } from './laws/signing-key-laws.ts'
import { statusLaws } from './laws/status-laws.ts'
import { userLaws } from './laws/user-laws.ts'

/**
 * The laws that a storage for an authorization server keeps. Loop over them in the test runner of your choice:
 * `await law.run(makeStore)` resolves when the store keeps the law, and rejects with `LawViolationError` when it does not.
 */
export const oauthLaws: readonly StorageLaw[] = [
  ...codeLaws,
  ...rotationLaws,
  ...deadFamilyLaws,
  ...userLaws,
  ...grantLaws,
  ...clientLaws,
  ...clientRemovalLaws,
  ...interactionLaws,
  ...sessionLaws,
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

/** The laws of a storage for a SCIM server: those of an authorization server among them. */
export const scimLaws: readonly StorageLaw<ScimStorage>[] = [
  ...oauthLaws,
  ...identityProviderLaws,
  ...provisionedUserLaws,
  ...provisionedChangeLaws,
  ...provisionedLinkLaws,
  ...provisionedRemovalLaws,
  ...provisioningRevocationLaws,
  ...groupLaws,
  ...memberLaws,
  ...memberRaceLaws,
  ...provisioningRoundTripLaws,
  ...recordLaws<ScimStorage>(scimRecords),
  ...provisioningIsolationLaws,
  ...providerIsolationLaws,
  ...listPageLaws,
  ...listSortLaws,
  ...listFilterLaws,
  ...listKnownLaws,
]

/** All laws: those of a storage for administration, of a SCIM server and of an authorization server. */
export const adminLaws: readonly StorageLaw<AdminStorage>[] = [
  ...scimLaws,
  ...accountListLaws,
  ...organizationLaws,
  ...membershipLaws,
  ...logLaws,
  ...recordLaws<AdminStorage>(adminRecords),
]
