import {
  type CodeTable,
  type InteractionTable,
  type OpaqueTokenTable,
  type PushedRequestTable,
  type ReplayTable,
  createCodeTable,
  createInteractionTable,
  createOpaqueTokenTable,
  createPushedRequestTable,
  createReplayTable,
} from './expiring-stores.ts'
import {
  type ClientTable,
  type IdentityProviderTable,
  createClientTable,
  createIdentityProviderTable,
} from './client-table.ts'
import { endAgents } from './agents.ts'
import { createRevocationTable, type RevocationTable } from './revocation-table.ts'
import { createFamilyTable, type FamilyTable } from './families.ts'
import { type ChangeTable, createChangeTable } from './changes.ts'
import { createGrantTable, type GrantTable } from './grants.ts'
import { createDecoupledRequestTable, type DecoupledRequestTable } from './decoupled-requests.ts'
import { createCustomResourceTable, type CustomResourceTable } from './custom-resources.ts'
import { createDeliveryTable, type DeliveryTable } from './deliveries.ts'
import { createGroupTable, type GroupTable } from './group-table.ts'
import { createInitialAccessTokenTable, type InitialAccessTokenTable } from './initial-access-tokens.ts'
import { createLogTable, type LogTable } from './logs.ts'
import { createOrganizationTable, type OrganizationTable } from './organizations.ts'
import { createSessionTable, type SessionTable } from './sessions.ts'
import { createSigningKeyTable, type SigningKeyTable } from './signing-keys.ts'
import { createSubjectTable, type SubjectTable } from './subjects.ts'
import { createUserTable, type UserTable } from './users.ts'

/** The tables of one issuer. */
export interface MemoryTables {
  readonly changes: ChangeTable
  readonly clients: ClientTable
  readonly users: UserTable
  readonly grants: GrantTable
  readonly codes: CodeTable
  readonly families: FamilyTable
  readonly opaqueTokens: OpaqueTokenTable
  readonly interactions: InteractionTable
  readonly pushedRequests: PushedRequestTable
  readonly decoupledRequests: DecoupledRequestTable
  readonly sessions: SessionTable
  readonly signingKeys: SigningKeyTable
  readonly replays: ReplayTable
  readonly identityProviders: IdentityProviderTable
  readonly groups: GroupTable
  readonly customResources: CustomResourceTable
  readonly organizations: OrganizationTable
  readonly initialAccessTokens: InitialAccessTokenTable
  readonly subjects: SubjectTable
  readonly logs: LogTable
  readonly revocations: RevocationTable
  readonly deliveries: DeliveryTable
}

/** A database that several memory storages can share, even for different issuers, as they would share a database file. */
export interface MemoryDatabase {
  /** Returns the tables of an issuer, and creates them at the first call. */
  tablesOf(issuer: string): MemoryTables
}

/** Creates an empty database. It exists as long as a reference to it does. */
export function createMemoryDatabase(): MemoryDatabase {
  const byIssuer = new Map<string, MemoryTables>()

  return {
    tablesOf(issuer) {
      const existing = byIssuer.get(issuer)
      if (existing !== undefined) return existing

      const tables = createTables()
      byIssuer.set(issuer, tables)
      return tables
    },
  }
}

function createTables(): MemoryTables {
  const changes = createChangeTable()
  const clients = createClientTable()
  const revocations = createRevocationTable()
  return {
    changes,
    clients,
    users: createUserTable(changes, (userId, at) => {
      endAgents({ clients, revocations }, { ownerUserId: userId }, at)
    }),
    grants: createGrantTable(),
    codes: createCodeTable(),
    families: createFamilyTable(),
    opaqueTokens: createOpaqueTokenTable(),
    interactions: createInteractionTable(),
    pushedRequests: createPushedRequestTable(),
    decoupledRequests: createDecoupledRequestTable(),
    sessions: createSessionTable(),
    signingKeys: createSigningKeyTable(),
    replays: createReplayTable(),
    identityProviders: createIdentityProviderTable(),
    groups: createGroupTable(changes),
    customResources: createCustomResourceTable(),
    organizations: createOrganizationTable(),
    initialAccessTokens: createInitialAccessTokenTable(),
    subjects: createSubjectTable(),
    logs: createLogTable(),
    revocations,
    deliveries: createDeliveryTable(),
  }
}
