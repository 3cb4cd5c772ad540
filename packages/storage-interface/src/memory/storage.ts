import type { AdminStorage } from '../storage.ts'
import {
  createMemoryCodes,
  createMemoryInteractions,
  createMemoryOpaqueTokens,
  createMemoryReplays,
} from './expiring-stores.ts'
import { createMemoryClients, createMemoryIdentityProviders } from './versioned-records.ts'
import { createMemoryRevocations } from './revocations.ts'
import { createMemoryFamilies } from './families.ts'
import { createMemoryGrants } from './grants.ts'
import { createMemoryGroups } from './groups.ts'
import { createMemoryDatabase, type MemoryDatabase } from './database.ts'
import { createMemoryLogs } from './logs.ts'
import { createMemoryOrganizations } from './organizations.ts'
import { createMemoryProvisionedUsers } from './provisioned-users.ts'
import { createMemoryPurge } from './purge.ts'
import { createMemorySessions } from './sessions.ts'
import { createMemorySigningKeys } from './signing-keys.ts'
import { createMemoryStatus } from './status.ts'
import { createMemoryUsers } from './users.ts'
import type { SchedulerHook } from './rows.ts'

export type { SchedulerHook } from './rows.ts'

/** What is given to `createMemoryStorage`. */
export interface MemoryStorageOptions {
  /** The issuer identifier that the handle is bound to (RFC 8414 §2). */
  readonly issuer: string
  /**
   * What to store in: several storages may share one, as servers share a database.
   * @defaultValue A new, empty one. Tests do not meet.
   */
  readonly database?: MemoryDatabase
  /**
   * Awaited before each atomic step, so that tests can choose who is first.
   * @defaultValue Resolved at once. There is nothing to wait for.
   */
  readonly scheduler?: SchedulerHook
}

/**
 * The reference storage: it keeps every law of the contracts and forgets everything when the process ends. For tests
 * and first steps; one process only, and what has expired is cleared away only by `purgeExpired`.
 */
export function createMemoryStorage(options: MemoryStorageOptions): AdminStorage {
  const { issuer, database: medium = createMemoryDatabase(), scheduler: pause = resolved } = options
  const tables = medium.tablesOf(issuer)

  return {
    issuer,
    clients: createMemoryClients(tables, pause),
    users: createMemoryUsers(tables, pause),
    grants: createMemoryGrants(tables, pause),
    codes: createMemoryCodes(tables.codes, pause),
    families: createMemoryFamilies(tables, pause),
    opaqueTokens: createMemoryOpaqueTokens(tables.opaqueTokens, pause),
    interactions: createMemoryInteractions(tables.interactions, pause),
    sessions: createMemorySessions(tables.sessions, pause),
    signingKeys: createMemorySigningKeys(tables.signingKeys, pause),
    replays: createMemoryReplays(tables.replays, pause),
    identityProviders: createMemoryIdentityProviders(tables.identityProviders, pause),
    provisionedUsers: createMemoryProvisionedUsers(tables, pause),
    groups: createMemoryGroups(tables, pause),
    organizations: createMemoryOrganizations(tables, pause),
    logs: createMemoryLogs(tables.logs, pause),
    revocations: createMemoryRevocations(tables, pause),
    status: createMemoryStatus(tables, pause),
    purge: createMemoryPurge(tables, pause),
  }
}

const resolved: SchedulerHook = () => Promise.resolve()
