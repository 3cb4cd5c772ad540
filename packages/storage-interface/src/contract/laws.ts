import type { StorageLaw } from './law.ts'
import { accountListLaws } from './laws/account-list-laws.ts'
import { replayLaws } from './laws/replay-laws.ts'
import { clientLaws } from './laws/client-laws.ts'
import { clientRemovalLaws } from './laws/client-removal-laws.ts'
import { codeLaws } from './laws/code-laws.ts'
import { deadFamilyLaws } from './laws/dead-family-laws.ts'
import { revocationListLaws } from './laws/revocation-list-laws.ts'
import { revocationLaws } from './laws/revocation-laws.ts'
import { grantLaws } from './laws/grant-laws.ts'
import { groupLaws } from './laws/group-laws.ts'
import { identifierLaws } from './laws/identifier-laws.ts'
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
import { ownershipLaws } from './laws/ownership-laws.ts'
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
 * Every law of the storage contract. Loop over them in the test runner of your choice: `await law.run(makeStore)`
 * resolves when the store keeps the law, and rejects with `LawBroken` when it does not.
 */
export const storageLaws: readonly StorageLaw[] = [
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
  ...identifierLaws,
  ...ownershipLaws,
  ...isolationLaws,
  ...purgeLaws,
  ...accountListLaws,
  ...organizationLaws,
  ...membershipLaws,
  ...logLaws,
  ...identityProviderLaws,
  ...provisionedUserLaws,
  ...provisionedChangeLaws,
  ...provisionedLinkLaws,
  ...provisionedRemovalLaws,
  ...groupLaws,
  ...memberLaws,
  ...memberRaceLaws,
  ...provisioningRoundTripLaws,
  ...provisioningIsolationLaws,
  ...providerIsolationLaws,
  ...listPageLaws,
  ...listSortLaws,
  ...listFilterLaws,
  ...listKnownLaws,
]
