import type { Storage } from '@mintmark/storage-interface'
import { createDatabase } from './database.ts'
import type { SqlDialect } from './dialect.ts'
import { ensureSchema } from './migrate.ts'
import { createReplayStore } from './stores/replay-store.ts'
import { createClientStore } from './stores/client-store.ts'
import { createCodeStore } from './stores/code-store.ts'
import { createRevocationStore } from './stores/revocation-store.ts'
import { createFamilyStore } from './stores/family-store.ts'
import { createGrantStore } from './stores/grant-store.ts'
import { createGroupStore } from './stores/group-store.ts'
import { createIdentityProviderStore } from './stores/identity-provider-store.ts'
import { createInteractionStore } from './stores/interaction-store.ts'
import { createLogStore } from './stores/log-store.ts'
import { createOpaqueTokenStore } from './stores/opaque-token-store.ts'
import { createOrganizationStore } from './stores/organization-store.ts'
import { createProvisionedUserStore } from './stores/provisioned-user-store.ts'
import { createPurgeStore } from './stores/purge-store.ts'
import { createSessionStore } from './stores/session-store.ts'
import { createSigningKeyStore } from './stores/signing-key-store.ts'
import { createStatusStore } from './stores/status-store.ts'
import { createUserStore } from './stores/user-store.ts'

/** What is given to `createSqlStorage`. */
export interface SqlStorageOptions {
  /** The database, such as `sqliteFile('mintmark.db')`. It may be shared with other storages; who made it closes it. */
  readonly dialect: SqlDialect
  /** The issuer identifier that the storage is bound to (RFC 8414 §2). */
  readonly issuer: string
  /**
   * How many accounts, or groups, of an identity provider a list may look at one by one, and how many accounts of the
   * issuer a list of all of them. A filter on `id`, `externalId`, `userName`, `emails.value`, the `displayName` of
   * groups, membership, or an account's `provider` finds its rows by an index, and counts those alone. With a filter
   * of more than ten comparisons it is fewer: the work is what is limited. What would take more is refused as
   * `tooMany` (RFC 7644 §3.12).
   * @defaultValue 20000. No request keeps the database busy for long, and most providers stay below.
   */
  readonly scanLimit?: number
}

/**
 * A storage in an SQL database. Each statement is built once, when it is first needed.
 *
 * It is asynchronous because it looks at the schema first: a server whose database was not migrated fails when it
 * starts, with the command to run, and not at the first person's sign-in.
 * @throws SchemaMismatchError when migrations are pending, unknown or changed; StorageUnavailableError.
 */
export async function createSqlStorage({ dialect, issuer, scanLimit = 20_000 }: SqlStorageOptions): Promise<Storage> {
  await ensureSchema(dialect)
  const database = createDatabase(dialect, issuer)

  return {
    issuer,
    clients: createClientStore(database),
    users: createUserStore(database, { scanLimit }),
    grants: createGrantStore(database),
    codes: createCodeStore(database),
    families: createFamilyStore(database),
    opaqueTokens: createOpaqueTokenStore(database),
    interactions: createInteractionStore(database),
    sessions: createSessionStore(database),
    signingKeys: createSigningKeyStore(database),
    replays: createReplayStore(database),
    identityProviders: createIdentityProviderStore(database),
    provisionedUsers: createProvisionedUserStore(database, { scanLimit }),
    groups: createGroupStore(database, { scanLimit }),
    organizations: createOrganizationStore(database),
    logs: createLogStore(database),
    revocations: createRevocationStore(database),
    status: createStatusStore(database),
    purge: createPurgeStore(database),
  }
}
