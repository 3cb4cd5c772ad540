import { announceRevocations } from '../announce-revocations.ts'
import type { AdminStorage } from '../storage.ts'
import {
  createMemoryCodes,
  createMemoryInteractions,
  createMemoryOpaqueTokens,
  createMemoryPushedRequests,
  createMemoryReplays,
} from './expiring-stores.ts'
import { createMemoryClients, createMemoryIdentityProviders } from './versioned-records.ts'
import { createMemoryRevocations } from './revocations.ts'
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
import { aFunction, anObjectWith, aText, checkOptions, required } from '../options.ts'
import type { SchedulerHook } from './rows.ts'

/** What is given to `createMemoryStorage`. */
interface MemoryStorageOptions {
  /** The issuer identifier that the handle is bound to (RFC 8414 §2). */
  readonly issuer: string
  /**
   * The database to use: several storages may share one, as servers share a database.
   * @defaultValue A new, empty one. Tests are then isolated.
   */
  readonly database?: MemoryDatabase
  /**
   * Awaited before each atomic step, so that tests can choose the order.
   * @defaultValue Resolves at once. Only tests choose the order.
   */
  readonly scheduler?: SchedulerHook
}

/**
 * The reference storage: it keeps every law of the contracts and loses all data when the process ends. For tests
 * and first steps; one process only, and expired rows are removed only by `purgeExpired`.
 */
export function createMemoryStorage(options: MemoryStorageOptions): AdminStorage {
  checkOptions('createMemoryStorage', options, {
    issuer: required(aText),
    database: anObjectWith('tablesOf'),
    scheduler: aFunction,
  })
  const { issuer, database = createMemoryDatabase(), scheduler = resolved } = options
  const tables = database.tablesOf(issuer)

  return announceRevocations({
    issuer,
    clients: createMemoryClients(tables, scheduler),
    users: { ...createMemoryUsers(tables, scheduler), ...createMemoryUpsert(tables, scheduler) },
    grants: createMemoryGrants(tables, scheduler),
    codes: createMemoryCodes(tables.codes, scheduler),
    families: createMemoryFamilies(tables, scheduler),
    opaqueTokens: createMemoryOpaqueTokens(tables.opaqueTokens, scheduler),
    interactions: createMemoryInteractions(tables.interactions, scheduler),
    pushedRequests: createMemoryPushedRequests(tables.pushedRequests, scheduler),
    sessions: createMemorySessions(tables, scheduler),
    signingKeys: createMemorySigningKeys(tables, scheduler),
    replays: createMemoryReplays(tables.replays, scheduler),
    identityProviders: createMemoryIdentityProviders(tables.identityProviders, scheduler),
    provisionedUsers: createMemoryProvisionedUsers(tables, scheduler),
    groups: createMemoryGroups(tables, scheduler),
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

const resolved: SchedulerHook = () => Promise.resolve()
