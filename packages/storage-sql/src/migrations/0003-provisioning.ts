import type { SqlEngine } from '../dialect.ts'
import type { Migration } from './migration.ts'
import { groupTriggers, userTriggers } from './provisioning-triggers.ts'

/**
 * Identity providers, their users and their groups. A provisioned user is a row of `mintmark_users`, so that a change
 * by the provider and the kill switch are one write. A `…_key` is a text of any length in a form that fits an index;
 * `comparable` is the form that filters search.
 *
 * `mintmark_users_by_user_name` covers all rows, which makes `provider_id` part of a key: on PostgreSQL, releasing a
 * user or changing its `userName` waits for a transaction that holds the user FOR KEY SHARE because it adds the user to
 * a group. No other change of the user waits.
 */
export const provisioning: Migration = {
  number: 3,
  name: '0003-provisioning',
  statements: (types) => [
    ...identityProviders(types),
    ...users(types),
    ...groups(types),
    `CREATE TABLE mintmark_provider_totals (
  issuer ${types.text} NOT NULL,
  provider_id ${types.text} NOT NULL,
  kind ${types.text} NOT NULL,
  total ${types.integer} NOT NULL,
  PRIMARY KEY (issuer, provider_id, kind)
) ${types.smallRowTable}`,
    ...[...userTriggers(types), ...groupTriggers].flatMap(types.trigger),
  ],
}

type Types = SqlEngine['types']

const identityProviders = ({ text, integer, json, table }: Types): readonly string[] => [
  `CREATE TABLE mintmark_identity_providers (
  issuer ${text} NOT NULL,
  provider_id ${text} NOT NULL,
  display_name ${text} NOT NULL,
  secrets ${json} NOT NULL,
  secret_uses ${json} NOT NULL,
  client_ids ${json} NOT NULL,
  tolerance_profile ${text} NOT NULL,
  offboarding ${json},
  disabled_at ${integer},
  created_at ${integer} NOT NULL,
  version ${integer} NOT NULL,
  removed_at ${integer},
  PRIMARY KEY (issuer, provider_id)
) ${table}`,
]

const users = ({ text, flag, json, searchable, smallRowTable }: Types): readonly string[] => [
  `ALTER TABLE mintmark_users ADD COLUMN provider_id ${text}`,
  `ALTER TABLE mintmark_users ADD COLUMN external_id ${text}`,
  `ALTER TABLE mintmark_users ADD COLUMN external_id_key ${text}`,
  `ALTER TABLE mintmark_users ADD COLUMN user_name_key ${text}`,
  `ALTER TABLE mintmark_users ADD COLUMN adopted ${flag}`,
  `ALTER TABLE mintmark_users ADD COLUMN resource ${json}`,
  `ALTER TABLE mintmark_users ADD COLUMN comparable ${searchable}`,
  `CREATE UNIQUE INDEX mintmark_users_by_user_name ON mintmark_users (issuer, provider_id, user_name_key)`,
  `CREATE UNIQUE INDEX mintmark_users_by_external_id ON mintmark_users (issuer, provider_id, external_id_key) WHERE external_id_key IS NOT NULL`,
  `CREATE INDEX mintmark_users_by_age ON mintmark_users (issuer, provider_id, created_at, user_id) WHERE provider_id IS NOT NULL`,

  `CREATE TABLE mintmark_user_emails (
  issuer ${text} NOT NULL,
  provider_id ${text} NOT NULL,
  value ${text} NOT NULL,
  user_id ${text} NOT NULL,
  PRIMARY KEY (issuer, provider_id, value, user_id)
) ${smallRowTable}`,
]

const groups = ({ text, integer, json, searchable, table, smallRowTable }: Types): readonly string[] => [
  `CREATE TABLE mintmark_groups (
  issuer ${text} NOT NULL,
  group_id ${text} NOT NULL,
  provider_id ${text} NOT NULL,
  external_id ${text},
  external_id_key ${text},
  display_name ${text} NOT NULL,
  display_name_key ${text},
  resource ${json} NOT NULL,
  comparable ${searchable} NOT NULL,
  created_at ${integer} NOT NULL,
  updated_at ${integer} NOT NULL,
  version ${integer} NOT NULL,
  PRIMARY KEY (issuer, group_id)
) ${table}`,
  `CREATE UNIQUE INDEX mintmark_groups_by_external_id ON mintmark_groups (issuer, provider_id, external_id_key) WHERE external_id_key IS NOT NULL`,
  `CREATE INDEX mintmark_groups_by_display_name ON mintmark_groups (issuer, display_name_key)`,
  `CREATE INDEX mintmark_groups_by_age ON mintmark_groups (issuer, provider_id, created_at, group_id)`,

  `CREATE TABLE mintmark_group_members (
  issuer ${text} NOT NULL,
  provider_id ${text} NOT NULL,
  group_id ${text} NOT NULL,
  member_id ${text} NOT NULL,
  member_type ${text} NOT NULL,
  PRIMARY KEY (issuer, group_id, member_id)
) ${smallRowTable}`,
  `CREATE INDEX mintmark_group_members_by_member ON mintmark_group_members (issuer, member_id, group_id)`,
]
