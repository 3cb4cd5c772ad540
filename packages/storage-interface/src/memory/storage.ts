import { withRevocationAnnouncements } from '../announce-revocations.ts'
import type { AdminStorage } from '../storage.ts'
import {
  createMemoryCodes,
  createMemoryInteractions,
  createMemoryOpaqueTokens,
  createMemoryPushedRequests,
  createMemoryReplays,
} from './expiring-stores.ts'
import { createMemoryAgents } from './agents.ts'
import { createMemoryClients, createMemoryIdentityProviders } from './versioned-records.ts'
import { createMemoryRevocations } from './revocations.ts'
import { createMemoryDecoupledRequests } from './decoupled-requests.ts'
import { createMemoryCustomResources } from './custom-resources.ts'
import { createMemoryFamilies } from './families.ts'
import { createMemoryGrants } from './grants.ts'
import { createMemoryGroups } from './groups.ts'
import { createMemoryCursors, createMemoryDeliveries } from './deliveries.ts'
import { createMemoryDatabase, type MemoryDatabase } from './database.ts'
import { createMemoryChanges, createMemoryWebhooks } from './changes.ts'
import { createMemoryInitialAccessTokens } from './initial-access-tokens.ts'
import { createMemoryLogs } from './logs.ts'
import { createMemoryOrganizations } from './organizations.ts'
import { createMemoryProvisionedUsers } from './provisioned-users.ts'
import { createMemoryPurge } from './purge.ts'
import { createMemorySessions } from './sessions.ts'
import { createMemorySigningKeys } from './signing-keys.ts'
import { createMemoryStatus } from './status.ts'
import { createMemorySubjects } from './subjects.ts'
import { createMemoryUpsert } from './upsert-users.ts'
import { createMemoryUsers } from './users.ts'
import { aFunction, anObjectWith, aNonEmptyString, checkOptions, required } from '../options.ts'
import type { SchedulerHook } from './rows.ts'

/** The options of `createMemoryStorage`. */
interface MemoryStorageOptions {
  /** The issuer identifier that the storage is bound to (RFC 8414 §2). */
  readonly issuer: string
  /**
   * The database to use. Several storages may share one, as servers share a database.
   * @defaultValue A new, empty database. Tests are then isolated.
   */
  readonly database?: MemoryDatabase
  /**
   * Awaited before each atomic step, so that tests can choose the order of steps.
   * @defaultValue A function that resolves at once. Only tests choose the order.
   */
  readonly scheduler?: SchedulerHook
}

/**
 * Creates the reference storage. It keeps every law of the contracts, and loses all data when the process ends. Use it for tests
 * and first steps, in one process only. Only `purgeExpired` removes expired rows.
 */
export function createMemoryStorage(options: MemoryStorageOptions): AdminStorage {
  checkOptions('createMemoryStorage', options, {
    issuer: required(aNonEmptyString),
    database: anObjectWith('tablesOf'),
    scheduler: aFunction,
  })
  const { issuer, database = createMemoryDatabase(), scheduler = atOnce } = options
  const tables = database.tablesOf(issuer)

  return withRevocationAnnouncements({
    issuer,
    isVolatile: true,
    clients: createMemoryClients(tables, scheduler),
    users: { ...createMemoryUsers(tables, scheduler), ...createMemoryUpsert(tables, scheduler) },
    grants: createMemoryGrants(tables, scheduler),
    codes: createMemoryCodes(tables.codes, scheduler),
    families: createMemoryFamilies(tables, scheduler),
    opaqueTokens: createMemoryOpaqueTokens(tables.opaqueTokens, scheduler),
    interactions: createMemoryInteractions(tables.interactions, scheduler),
    pushedRequests: createMemoryPushedRequests(tables.pushedRequests, scheduler),
    decoupledRequests: createMemoryDecoupledRequests(tables.decoupledRequests, scheduler),
    sessions: createMemorySessions(tables, scheduler),
    signingKeys: createMemorySigningKeys(tables, scheduler),
    replays: createMemoryReplays(tables.replays, scheduler),
    identityProviders: createMemoryIdentityProviders(tables, scheduler),
    provisionedUsers: createMemoryProvisionedUsers(tables, scheduler),
    groups: createMemoryGroups(tables, scheduler),
    agents: createMemoryAgents(tables, scheduler),
    customResources: createMemoryCustomResources(tables, scheduler),
    organizations: createMemoryOrganizations(tables, scheduler),
    initialAccessTokens: createMemoryInitialAccessTokens(tables.initialAccessTokens, scheduler),
    subjects: createMemorySubjects(tables.subjects, scheduler),
    logs: createMemoryLogs(tables.logs, scheduler),
    revocations: createMemoryRevocations(tables, scheduler),
    status: createMemoryStatus(tables, scheduler),
    changes: createMemoryChanges(tables.changes, scheduler),
    webhooks: createMemoryWebhooks(tables.changes, scheduler),
    deliveries: createMemoryDeliveries(tables.deliveries, scheduler),
    cursors: createMemoryCursors(tables.deliveries, scheduler),
    purge: createMemoryPurge(tables, scheduler),
  })
}

const resolved = Promise.resolve()
const atOnce: SchedulerHook = () => resolved
