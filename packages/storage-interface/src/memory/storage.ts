import type { Storage } from '../storage.ts'
import { createMemoryClaims } from './claims.ts'
import { createMemoryClients } from './clients.ts'
import { createMemoryCodes } from './codes.ts'
import { createMemoryEndings } from './endings.ts'
import { createMemoryFamilies } from './families.ts'
import { createMemoryGrants } from './grants.ts'
import { createMemoryGroups } from './groups.ts'
import { createMemoryIdentityProviders } from './identity-providers.ts'
import { createMemoryInteractions } from './interactions.ts'
import { createMemoryMedium, type MemoryMedium } from './medium.ts'
import { createMemoryLogs } from './logs.ts'
import { createMemoryOpaqueTokens } from './opaque-tokens.ts'
import { createMemoryOrganizations } from './organizations.ts'
import { createMemoryProvisionedUsers } from './provisioned-users.ts'
import { createMemoryPurge } from './purge.ts'
import { createMemorySessions } from './sessions.ts'
import { createMemorySigningKeys } from './signing-keys.ts'
import { createMemoryStanding } from './standing.ts'
import { createMemoryUsers } from './users.ts'
import type { Pause } from './pause.ts'

export type { Pause } from './pause.ts'

/** What is given to `createMemoryStorage`. */
export interface MemoryStorageOptions {
  /** The issuer identifier that the handle is bound to (RFC 8414 §2). */
  readonly issuer: string
  /**
   * What to store in: several storages may share one, as servers share a database.
   * @defaultValue A new, empty one. Tests do not meet.
   */
  readonly medium?: MemoryMedium
  /**
   * Awaited before each atomic step, so that tests can choose who is first.
   * @defaultValue Resolved at once. There is nothing to wait for.
   */
  readonly pause?: Pause
}

/**
 * The reference storage: it keeps every law of the contracts and forgets everything when the process ends. For tests
 * and first steps; one process only, and what has expired is cleared away only by `purgeExpired`.
 */
export function createMemoryStorage(options: MemoryStorageOptions): Storage {
  const { issuer, medium = createMemoryMedium(), pause = resolved } = options
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
    claims: createMemoryClaims(tables.claims, pause),
    identityProviders: createMemoryIdentityProviders(tables.identityProviders, pause),
    provisionedUsers: createMemoryProvisionedUsers(tables, pause),
    groups: createMemoryGroups(tables, pause),
    organizations: createMemoryOrganizations(tables, pause),
    logs: createMemoryLogs(tables.logs, pause),
    endings: createMemoryEndings(tables, pause),
    standing: createMemoryStanding(tables, pause),
    purge: createMemoryPurge(tables, pause),
  }
}

const resolved: Pause = () => Promise.resolve()
