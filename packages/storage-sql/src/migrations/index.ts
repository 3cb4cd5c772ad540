import { firstTables } from './0001-first-tables.ts'
import { purgeIndexes } from './0002-purge-indexes.ts'
import { provisioning } from './0003-provisioning.ts'
import { keySchedule } from './0004-key-schedule.ts'
import { administration } from './0005-administration.ts'
import { removalInTurn } from './0006-removal-in-turn.ts'
import { endings } from './0007-endings.ts'
import { resourceForm } from './0008-resource-form.ts'
import { firstStatistics } from './0009-first-statistics.ts'
import { customResources } from './0010-custom-resources.ts'
import { customResourceStatistics } from './0011-custom-resource-statistics.ts'
import { clientChoices } from './0012-client-choices.ts'
import { indexedValues } from './0013-indexed-values.ts'
import { indexedValueStatistics } from './0014-indexed-value-statistics.ts'
import { tenants } from './0015-tenants.ts'
import { groupChanges } from './0016-group-changes.ts'
import { signingKeyMacs } from './0017-signing-key-macs.ts'
import { revokedFamilies } from './0018-revoked-families.ts'
import { droppedKeys } from './0019-dropped-keys.ts'
import { logoutAddresses } from './0020-logout-addresses.ts'
import { deliveries } from './0021-deliveries.ts'
import { deliveryStatistics } from './0022-delivery-statistics.ts'
import { inheritedBlocks } from './0023-inherited-blocks.ts'
import { sessions } from './0024-sessions.ts'
import { sessionStatistics } from './0025-session-statistics.ts'
import { groupIndexes } from './0026-group-indexes.ts'
import { pushedRequests } from './0027-pushed-requests.ts'
import { pushedRequestStatistics } from './0028-pushed-request-statistics.ts'
import { signedRequests } from './0029-signed-requests.ts'
import { securityProfiles } from './0030-security-profiles.ts'
import { possession } from './0031-possession.ts'
import { changes } from './0032-changes.ts'
import { changeStatistics } from './0033-change-statistics.ts'
import { organizationsOfTokens } from './0034-organizations-of-tokens.ts'
import { registrations } from './0035-initial-access-tokens.ts'
import { registrationStatistics } from './0036-initial-access-token-statistics.ts'
import { clientDocuments } from './0037-client-documents.ts'
import { selfManagement } from './0038-self-management.ts'
import { authorizationDetails } from './0039-authorization-details.ts'
import { clientCertificates } from './0040-client-certificates.ts'
import { clientStatistics } from './0041-client-statistics.ts'
import { subjects } from './0042-subjects.ts'
import { subjectStatistics } from './0043-subject-statistics.ts'
import { encryptedAnswers } from './0044-encrypted-answers.ts'
import { encryptedAnswerStatistics } from './0045-encrypted-answer-statistics.ts'
import { encryptedAuthorizationResponses } from './0046-encrypted-authorization-responses.ts'
import { encryptedAuthorizationResponseStatistics } from './0047-encrypted-authorization-response-statistics.ts'
import { pagesOfClients } from './0048-pages-of-clients.ts'
import { pagesOfClientsStatistics } from './0049-pages-of-clients-statistics.ts'
import { organizationsOfProviders } from './0050-organizations-of-providers.ts'
import { ordersOfLists } from './0051-orders-of-lists.ts'
import { departures } from './0052-departures.ts'
import { departureStatistics } from './0053-departure-statistics.ts'
import { blocksOfKeptKeys } from './0054-blocks-of-kept-keys.ts'
import { statisticsOfEveryIndex } from './0055-statistics-of-every-index.ts'
import { retriedTokens } from './0056-retried-tokens.ts'
import type { Migration } from './migration.ts'

export type { Migration } from './migration.ts'

/** All migrations, in order. */
export const migrations: readonly Migration[] = [
  firstTables,
  purgeIndexes,
  provisioning,
  keySchedule,
  administration,
  removalInTurn,
  endings,
  resourceForm,
  firstStatistics,
  customResources,
  customResourceStatistics,
  clientChoices,
  indexedValues,
  indexedValueStatistics,
  tenants,
  groupChanges,
  signingKeyMacs,
  revokedFamilies,
  droppedKeys,
  logoutAddresses,
  deliveries,
  deliveryStatistics,
  inheritedBlocks,
  sessions,
  sessionStatistics,
  groupIndexes,
  pushedRequests,
  pushedRequestStatistics,
  signedRequests,
  securityProfiles,
  possession,
  changes,
  changeStatistics,
  organizationsOfTokens,
  registrations,
  registrationStatistics,
  clientDocuments,
  selfManagement,
  authorizationDetails,
  clientCertificates,
  clientStatistics,
  subjects,
  subjectStatistics,
  encryptedAnswers,
  encryptedAnswerStatistics,
  encryptedAuthorizationResponses,
  encryptedAuthorizationResponseStatistics,
  pagesOfClients,
  pagesOfClientsStatistics,
  organizationsOfProviders,
  ordersOfLists,
  departures,
  departureStatistics,
  blocksOfKeptKeys,
  statisticsOfEveryIndex,
  retriedTokens,
]
