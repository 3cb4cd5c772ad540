import { setTimeout as pause } from 'node:timers/promises'
import { anObjectWith, aNonEmptyString, checkOptions, elapsed, required, wholeNumber } from '@mintmark/internal'
import { type AdminStorage, type CompleteOAuthStorage, StorageUnavailableError } from '@mintmark/storage-interface'
import { createRevocationAnnouncements } from '@mintmark/storage-interface/stores'
import { createDatabase, type Database } from './database.ts'
import type { SqlDialect } from './dialect.ts'
import { ensureSchema } from './migrate.ts'
import { createAgentStore } from './stores/agent-store.ts'
import { createReplayStore } from './stores/replay-store.ts'
import { createCodeStore, createFamilyStore } from './stores/token-stores.ts'
import { createRevocationStore } from './stores/revocation-store.ts'
import { createCustomResourceStore } from './stores/custom-resource-store.ts'
import { createChangeStore } from './stores/change-store.ts'
import { createWebhookStore } from './stores/webhook-store.ts'
import { createCursorStore, createDeliveryStore } from './stores/delivery-store.ts'
import { createDecoupledRequestStore } from './stores/decoupled-request-store.ts'
import { createGrantStore } from './stores/grant-store.ts'
import { createGroupStore } from './stores/group-store.ts'
import { createInitialAccessTokenStore } from './stores/initial-access-token-store.ts'
import { createInteractionStore } from './stores/interaction-store.ts'
import { createLogStore } from './stores/log-store.ts'
import { createOpaqueTokenStore } from './stores/opaque-token-store.ts'
import { createOrganizationStore } from './stores/organization-store.ts'
import { createProvisionedUserStore } from './stores/provisioned-user-store.ts'
import { createPushedRequestStore } from './stores/pushed-request-store.ts'
import { createPurgeStore } from './stores/purge-store.ts'
import { createSessionStore } from './stores/session-store.ts'
import { createSigningKeyStore } from './stores/signing-key-store.ts'
import { createStatusStore } from './stores/status-store.ts'
import { createSubjectStore } from './stores/subject-store.ts'
import { createUserStore } from './stores/user-store.ts'
import { createClientStore, createIdentityProviderStore } from './stores/versioned-store.ts'

/** Options of `createSqlStorage`. */
interface SqlStorageOptions {
  /** The database, such as `openSqliteDialect('mintmark.db')`. Several storages may share it. The host closes it. */
  readonly dialect: SqlDialect
  /** The issuer identifier that the storage is bound to (RFC 8414 §2). */
  readonly issuer: string
  /**
   * The maximum number of users or groups that one list request may read one by one. A resource of more than 2 kB is
   * counted as several, and a filter with more than five comparisons lowers the limit. Filters and orders that use an
   * index (`docs/reference/limits.md` lists them) count only the rows that they read. A list that would read more is
   * rejected as `tooMany` (RFC 7644 §3.12).
   * @defaultValue 20000. No request keeps the database busy for long, and most directories have fewer users.
   */
  readonly scanLimit?: number
  /**
   * How long to wait, in seconds, for a database that cannot be reached when the server starts. After that the error of the
   * last attempt is thrown.
   * @defaultValue 0. A wrong address is noticed at once, and a supervisor starts the process again.
   */
  readonly waitForDatabaseSeconds?: number
}

/**
 * Opens a storage in an SQL database. It checks the schema first: if the database was not migrated, the server fails at
 * start-up and not at the first sign-in, and the error names the command to run. Each statement is built when it is
 * first needed.
 * @throws SchemaMismatchError when migrations are pending, unknown or changed; StorageUnavailableError.
 */
export async function createSqlStorage(options: SqlStorageOptions): Promise<AdminStorage> {
  checkOptions('createSqlStorage', options, {
    dialect: required(anObjectWith('all')),
    issuer: required(aNonEmptyString),
    scanLimit: wholeNumber(1),
    waitForDatabaseSeconds: wholeNumber(0),
  })
  const { dialect, issuer, scanLimit = defaultScanLimit } = options
  await waitForSchema(options)
  return createStores(dialect, { issuer, scanLimit })
}

/**
 * Opens a storage for an authorization server without directories (SCIM) and without the administration API, in any SQL database.
 * It checks the schema first, as `createSqlStorage`.
 * @throws SchemaMismatchError when migrations are pending, unknown or changed; StorageUnavailableError.
 */
export async function createSqlOAuthStorage(
  options: Pick<SqlStorageOptions, 'dialect' | 'issuer' | 'waitForDatabaseSeconds'>,
): Promise<CompleteOAuthStorage> {
  checkOptions('createSqlOAuthStorage', options, {
    dialect: required(anObjectWith('all')),
    issuer: required(aNonEmptyString),
    waitForDatabaseSeconds: wholeNumber(0),
  })
  const { dialect, issuer } = options
  await waitForSchema(options)
  const database = createDatabase(dialect, issuer)
  const announcing = createRevocationAnnouncements()
  return createdWhenRead(
    { issuer, onSessionsRevoked: announcing.onSessionsRevoked },
    {
      ...oauthStores(database, { announcing, scanLimit: defaultScanLimit }),
      ...optionalStores(database),
    },
  )
}

/** @throws SchemaMismatchError; StorageUnavailableError when the database could not be reached until the end. */
async function waitForSchema({
  dialect,
  waitForDatabaseSeconds = 0,
}: Pick<SqlStorageOptions, 'dialect' | 'waitForDatabaseSeconds'>): Promise<void> {
  const end = elapsed() + waitForDatabaseSeconds * 1000
  for (;;) {
    try {
      return await ensureSchema(dialect)
    } catch (error) {
      if (!(error instanceof StorageUnavailableError) || elapsed() >= end) throw error
      await pause(millisecondsBetweenAttempts)
    }
  }
}

const millisecondsBetweenAttempts = 250

/** Creates the stores of a database whose schema is known to be current. */
export function createStores(
  dialect: SqlDialect,
  { issuer, scanLimit }: { readonly issuer: string; readonly scanLimit: number },
): AdminStorage {
  const database = createDatabase(dialect, issuer)
  const announcing = createRevocationAnnouncements()
  return createdWhenRead(
    { issuer, onSessionsRevoked: announcing.onSessionsRevoked },
    {
      ...oauthStores(database, { announcing, scanLimit }),
      ...optionalStores(database),
      identityProviders: () => createIdentityProviderStore(database),
      provisionedUsers: () => announcing.provisionedUsers(createProvisionedUserStore(database, { scanLimit })),
      groups: () => createGroupStore(database, { scanLimit }),
      customResources: () => createCustomResourceStore(database, { scanLimit }),
      agents: () => createAgentStore(database),
    },
  )
}

interface OAuthStoreOptions {
  readonly announcing: ReturnType<typeof createRevocationAnnouncements>
  readonly scanLimit: number
}

/** The stores that every authorization server needs. */
const oauthStores = (database: Database, { announcing, scanLimit }: OAuthStoreOptions) => ({
  clients: () => createClientStore(database),
  users: () => announcing.users(createUserStore(database, { scanLimit })),
  grants: () => createGrantStore(database),
  codes: () => createCodeStore(database),
  families: () => createFamilyStore(database),
  opaqueTokens: () => createOpaqueTokenStore(database),
  interactions: () => createInteractionStore(database),
  pushedRequests: () => createPushedRequestStore(database),
  sessions: () => announcing.sessions(createSessionStore(database)),
  signingKeys: () => createSigningKeyStore(database),
  replays: () => createReplayStore(database),
  revocations: () => createRevocationStore(database),
  status: () => createStatusStore(database),
  purge: () => createPurgeStore(database),
})

/** The stores that only some features need, besides those of directories. */
const optionalStores = (database: Database) => ({
  organizations: () => createOrganizationStore(database),
  initialAccessTokens: () => createInitialAccessTokenStore(database),
  subjects: () => createSubjectStore(database),
  decoupledRequests: () => createDecoupledRequestStore(database),
  logs: () => createLogStore(database),
  changes: () => createChangeStore(database),
  webhooks: () => createWebhookStore(database),
  deliveries: () => createDeliveryStore(database),
  cursors: () => createCursorStore(database),
})

/**
 * Returns the storage with members that are created when they are first read. All stores together take 17 ms of CPU time, and a
 * server uses a part of them.
 */
function createdWhenRead<Fixed extends object, Stores extends object>(
  fixed: Fixed,
  stores: { readonly [Name in keyof Stores]: () => Stores[Name] },
): Fixed & Stores {
  for (const [name, create] of Object.entries<() => unknown>(stores)) {
    const get = (): unknown => {
      const value = create()
      // Later reads are those of an ordinary member.
      Object.defineProperty(fixed, name, { value, enumerable: true })
      return value
    }
    Object.defineProperty(fixed, name, { get, enumerable: true, configurable: true })
  }
  return fixed as Fixed & Stores
}

export const defaultScanLimit = 20_000
