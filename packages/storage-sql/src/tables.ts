import type { SqlValue } from './dialect.ts'
import type { replayColumns, revokedTokenColumns } from './rows/replay-row.ts'
import type { clientColumns } from './rows/client-row.ts'
import type { codeColumns } from './rows/code-row.ts'
import type { familyColumns } from './rows/family-row.ts'
import type { grantColumns } from './rows/grant-row.ts'
import type { groupColumns } from './rows/group-row.ts'
import type { identityProviderColumns } from './rows/identity-provider-row.ts'
import type { interactionColumns } from './rows/interaction-row.ts'
import type { logEntryColumns } from './rows/log-entry-row.ts'
import type { membershipColumns } from './rows/membership-row.ts'
import type { opaqueTokenColumns } from './rows/opaque-token-row.ts'
import type { organizationColumns } from './rows/organization-row.ts'
import type { provisioningColumns } from './rows/provisioned-user-row.ts'
import type { sessionColumns } from './rows/session-row.ts'
import type { signingKeyColumns } from './rows/signing-key-row.ts'
import type { userColumns } from './rows/user-row.ts'

/** The tables, as Kysely checks them. The prefix lets a host keep its own `users` in the same database. */
export interface Tables {
  readonly mintmark_clients: Table<typeof clientColumns>
  readonly mintmark_users: Table<typeof userColumns> & Table<typeof provisioningColumns>
  readonly mintmark_grants: Table<typeof grantColumns>
  readonly mintmark_codes: Table<typeof codeColumns>
  readonly mintmark_families: Table<typeof familyColumns>
  readonly mintmark_opaque_tokens: Table<typeof opaqueTokenColumns>
  readonly mintmark_interactions: Table<typeof interactionColumns>
  readonly mintmark_sessions: Table<typeof sessionColumns>
  readonly mintmark_signing_keys: Table<typeof signingKeyColumns>
  readonly mintmark_claims: Table<typeof replayColumns> & Partial<Table<typeof revokedTokenColumns>>
  readonly mintmark_identity_providers: Table<typeof identityProviderColumns>
  readonly mintmark_groups: Table<typeof groupColumns>
  readonly mintmark_group_members: Table<readonly ['issuer', 'provider_id', 'group_id', 'member_id', 'member_type']>
  readonly mintmark_organizations: Table<typeof organizationColumns>
  readonly mintmark_memberships: Table<typeof membershipColumns>
  readonly mintmark_logs: Table<typeof logEntryColumns>
}

type Table<Columns extends readonly string[]> = Record<Columns[number], SqlValue>
