import type { SqlEngine } from '../../dialect.ts'

/**
 * Users, identity providers, and the indexes for the filters and orders of identity providers.
 *
 * A provisioned user is a row of `mintmark_users`, so that a change by the provider and the kill switch are one write. A
 * `…_key` is a text of any length in a form that fits an index; `comparable` is the form that filters search.
 *
 * `mintmark_users_by_user_name` covers all rows, which makes `provider_id` part of a key: on PostgreSQL, releasing a user or
 * changing its `userName` waits for a transaction that holds the user FOR KEY SHARE because it adds the user to a group. No
 * other change of the user waits.
 *
 * `mintmark_user_values` and `mintmark_user_changes` are narrow tables that triggers keep. Indexes on `mintmark_users` would
 * make every change of a user write all indexes on PostgreSQL (it could not be a heap-only update), and a host's own
 * attributes are not known here. `kind` says what `value` is: 0 the whole text, 1 none, because the attribute is absent, and 2
 * the beginning of a long text or a value that is no text. It is part of the key, so that a search reads the index alone.
 */
export const usersTables = (types: SqlEngine['types']): readonly string[] => [
  ...users(types),
  ...userIndexes(types),
  ...identityProviders(types),
  ...totals(types),
  ...userValues(types),
]

const users = ({
  text,
  key,
  longKey,
  integer,
  flag,
  json,
  searchable,
  table,
}: SqlEngine['types']): readonly string[] => [
  `CREATE TABLE mintmark_users (
  issuer ${key} NOT NULL,
  user_id ${key} NOT NULL,
  active ${flag} NOT NULL,
  generation ${integer} NOT NULL,
  claims ${json} NOT NULL,
  created_at ${integer} NOT NULL,
  updated_at ${integer} NOT NULL,
  version ${integer} NOT NULL,
  removed_at ${integer},
  provider_id ${key},
  external_id ${text},
  external_id_key ${longKey},
  user_name_key ${longKey},
  adopted ${flag},
  resource ${json},
  comparable ${searchable},
  render_key ${text},
  blocked_at ${integer},
  active_after_block ${flag},
  former_since ${integer},
  former_provider_id ${key},
  former_external_id_key ${longKey},
  former_user_name_key ${longKey},
  PRIMARY KEY (issuer, user_id)
) ${table}`,
]

const userIndexes = ({ partialIndex }: SqlEngine['types']): readonly string[] => [
  `CREATE UNIQUE INDEX mintmark_users_by_user_name ON mintmark_users (issuer, provider_id, user_name_key)`,
  partialIndex({
    name: 'mintmark_users_by_external_id',
    table: 'mintmark_users',
    columns: ['issuer', 'provider_id', 'external_id_key'],
    where: 'external_id_key IS NOT NULL',
    unique: true,
  }),
  partialIndex({
    name: 'mintmark_users_by_age',
    table: 'mintmark_users',
    columns: ['issuer', 'provider_id', 'created_at', 'user_id'],
    where: 'provider_id IS NOT NULL',
  }),
  partialIndex({
    name: 'mintmark_users_by_creation',
    table: 'mintmark_users',
    columns: ['issuer', 'created_at', 'user_id'],
    where: 'removed_at IS NULL',
  }),
  partialIndex({
    name: 'mintmark_users_by_former_external_id',
    table: 'mintmark_users',
    columns: ['issuer', 'former_provider_id', 'former_external_id_key', 'former_since'],
    where: 'former_external_id_key IS NOT NULL',
  }),
  partialIndex({
    name: 'mintmark_users_by_former_user_name',
    table: 'mintmark_users',
    columns: ['issuer', 'former_provider_id', 'former_user_name_key', 'former_since'],
    where: 'former_user_name_key IS NOT NULL',
  }),
]

const identityProviders = ({
  text,
  key,
  longKey,
  integer,
  json,
  table,
  partialIndex,
}: SqlEngine['types']): readonly string[] => [
  `CREATE TABLE mintmark_identity_providers (
  issuer ${key} NOT NULL,
  provider_id ${key} NOT NULL,
  display_name ${text} NOT NULL,
  secrets ${json} NOT NULL,
  secret_uses ${json} NOT NULL,
  client_ids ${json} NOT NULL,
  tolerance_profile ${text} NOT NULL,
  assertion_issuer ${longKey},
  assertion_jwks_uri ${text},
  assertion_jwks ${json},
  assertion_revocation_subject ${text},
  assertion_cross_app_access ${json},
  setup_link ${json},
  deprovisioning ${json},
  disabled_at ${integer},
  created_at ${integer} NOT NULL,
  version ${integer} NOT NULL,
  removed_at ${integer},
  verified_domains ${json} NOT NULL DEFAULT '[]',
  organization_id ${text},
  PRIMARY KEY (issuer, provider_id)
) ${table}`,

  partialIndex({
    name: 'mintmark_identity_providers_by_assertion_issuer',
    table: 'mintmark_identity_providers',
    columns: ['issuer', 'assertion_issuer', 'provider_id'],
    where: 'assertion_issuer IS NOT NULL',
  }),
]

const totals = ({ key, integer, smallRowTable }: SqlEngine['types']): readonly string[] => [
  `CREATE TABLE mintmark_provider_totals (
  issuer ${key} NOT NULL,
  provider_id ${key} NOT NULL,
  kind ${key} NOT NULL,
  total ${integer} NOT NULL,
  PRIMARY KEY (issuer, provider_id, kind)
) ${smallRowTable}`,

  `CREATE TABLE mintmark_user_totals (
  issuer ${key} NOT NULL,
  total ${integer} NOT NULL,
  PRIMARY KEY (issuer)
) ${smallRowTable}`,
]

const userValues = ({
  text,
  key,
  longKey,
  integer,
  flag,
  smallRowTable,
  partialIndex,
}: SqlEngine['types']): readonly string[] => [
  `CREATE TABLE mintmark_indexed_attributes (
  issuer ${key} NOT NULL,
  attribute ${longKey} NOT NULL,
  path ${text} NOT NULL,
  part ${text},
  is_unique ${flag} NOT NULL,
  PRIMARY KEY (issuer, attribute)
) ${smallRowTable}`,

  `CREATE TABLE mintmark_user_values (
  issuer ${key} NOT NULL,
  provider_id ${key} NOT NULL,
  attribute ${longKey} NOT NULL,
  kind ${integer} NOT NULL,
  value ${longKey} NOT NULL,
  created_at ${integer} NOT NULL,
  user_id ${key} NOT NULL,
  is_unique ${flag} NOT NULL,
  PRIMARY KEY (issuer, provider_id, attribute, kind, value, created_at, user_id)
) ${smallRowTable}`,
  partialIndex({
    name: 'mintmark_user_values_unique',
    table: 'mintmark_user_values',
    columns: ['issuer', 'provider_id', 'attribute', 'value'],
    where: 'is_unique AND kind <> 1',
    unique: true,
  }),

  `CREATE TABLE mintmark_user_changes (
  issuer ${key} NOT NULL,
  provider_id ${key} NOT NULL,
  updated_at ${integer} NOT NULL,
  created_at ${integer} NOT NULL,
  user_id ${key} NOT NULL,
  active ${flag} NOT NULL,
  PRIMARY KEY (issuer, provider_id, updated_at, created_at, user_id)
) ${smallRowTable}`,
  `CREATE INDEX mintmark_user_changes_by_identifier ON mintmark_user_changes (issuer, provider_id, user_id, created_at)`,
]
