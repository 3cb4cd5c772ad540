import type {
  changes,
  clients,
  codes,
  ColumnName,
  cursors,
  customResources,
  decoupledRequests,
  deliveries,
  families,
  grants,
  groups,
  identityProviders,
  initialAccessTokens,
  interactions,
  logs,
  memberships,
  opaqueTokens,
  organizations,
  provisionedUsers,
  pushedRequests,
  RecordDefinition,
  sessionParticipants,
  sessions,
  signingKeys,
  subjects,
  webhooks,
} from '@mintmark/storage-interface/records'
import type { SqlValue } from './dialect.ts'

/** The types of the tables, with which Kysely checks queries. The prefix lets a host keep its own `users` in the same database. */
export interface Tables {
  readonly mintmark_clients: TableOf<typeof clients>
  readonly mintmark_users: TableOf<typeof provisionedUsers>
  readonly mintmark_grants: TableOf<typeof grants>
  readonly mintmark_codes: TableOf<typeof codes>
  readonly mintmark_families: TableOf<typeof families>
  readonly mintmark_opaque_tokens: TableOf<typeof opaqueTokens>
  readonly mintmark_interactions: TableOf<typeof interactions>
  readonly mintmark_pushed_requests: TableOf<typeof pushedRequests>
  readonly mintmark_decoupled_requests: TableOf<typeof decoupledRequests>
  readonly mintmark_sessions: TableOf<typeof sessions>
  readonly mintmark_session_participants: TableOf<typeof sessionParticipants>
  readonly mintmark_signing_keys: TableOf<typeof signingKeys>
  readonly mintmark_replays: Columns<ReplayColumn> & Partial<Columns<'value' | 'marked_at'>>
  readonly mintmark_identity_providers: TableOf<typeof identityProviders>
  readonly mintmark_groups: TableOf<typeof groups>
  readonly mintmark_group_members: Columns<'issuer' | 'provider_id' | 'group_id' | 'member_id' | 'member_type'>
  readonly mintmark_custom_resources: TableOf<typeof customResources>
  readonly mintmark_organizations: TableOf<typeof organizations>
  readonly mintmark_memberships: TableOf<typeof memberships>
  readonly mintmark_initial_access_tokens: TableOf<typeof initialAccessTokens>
  readonly mintmark_subjects: TableOf<typeof subjects>
  readonly mintmark_logs: TableOf<typeof logs>
  readonly mintmark_deliveries: TableOf<typeof deliveries>
  readonly mintmark_changes: TableOf<typeof changes>
  readonly mintmark_change_positions: Columns<'issuer' | 'last_position'>
  readonly mintmark_webhooks: TableOf<typeof webhooks>
  readonly mintmark_cursors: TableOf<typeof cursors>
}

/** The columns of a replay mark; the row of a revoked token also has `value` and `marked_at`. */
export const replayColumns = ['issuer', 'purpose', 'value_digest', 'expires_at'] as const

type ReplayColumn = (typeof replayColumns)[number]

type TableOf<Of extends RecordDefinition> = Columns<ColumnName<Of>>

type Columns<Name extends string> = Record<Name, SqlValue>
