import type { SqlEngine } from '../../dialect.ts'

/**
 * Groups, and resources of types that the host defines.
 *
 * A row of `mintmark_group_changes` is a change of many members that was written, and not yet carried out on the rows of the
 * members: at most one of a group. A row of `mintmark_departures` is a member of many groups that has left its provider, and
 * whose memberships are not removed yet. Whichever process next reads or changes the members carries it out.
 *
 * Every index of custom resources begins with issuer, provider and type, so that the size of one type does not slow down
 * another. A unique text has a row of its own, because a resource may have several.
 */
export const groupsTables = (types: SqlEngine['types']): readonly string[] => [
  ...groups(types),
  ...members(types),
  ...customResources(types),
]

const groups = ({
  text,
  key,
  longKey,
  integer,
  json,
  searchable,
  table,
  partialIndex,
}: SqlEngine['types']): readonly string[] => [
  `CREATE TABLE mintmark_groups (
  issuer ${key} NOT NULL,
  group_id ${key} NOT NULL,
  provider_id ${key} NOT NULL,
  external_id ${text},
  external_id_key ${longKey},
  display_name ${text} NOT NULL,
  display_name_key ${longKey},
  resource ${json} NOT NULL,
  comparable ${searchable} NOT NULL,
  created_at ${integer} NOT NULL,
  updated_at ${integer} NOT NULL,
  version ${integer} NOT NULL,
  PRIMARY KEY (issuer, group_id)
) ${table}`,
  partialIndex({
    name: 'mintmark_groups_by_external_id',
    table: 'mintmark_groups',
    columns: ['issuer', 'provider_id', 'external_id_key'],
    where: 'external_id_key IS NOT NULL',
    unique: true,
  }),
  `CREATE INDEX mintmark_groups_by_display_name ON mintmark_groups (issuer, display_name_key)`,
  `CREATE INDEX mintmark_groups_by_age ON mintmark_groups (issuer, provider_id, created_at, group_id)`,
  `CREATE INDEX mintmark_groups_by_name ON mintmark_groups (issuer, provider_id, display_name_key, created_at, group_id)`,
  `CREATE INDEX mintmark_groups_by_change ON mintmark_groups (issuer, provider_id, updated_at, created_at, group_id)`,
  `CREATE INDEX mintmark_groups_by_provider ON mintmark_groups (issuer, provider_id, group_id, created_at)`,
]

const members = ({ text, key, integer, json, table, smallRowTable }: SqlEngine['types']): readonly string[] => [
  `CREATE TABLE mintmark_group_members (
  issuer ${key} NOT NULL,
  provider_id ${text} NOT NULL,
  group_id ${key} NOT NULL,
  member_id ${key} NOT NULL,
  member_type ${text} NOT NULL,
  PRIMARY KEY (issuer, group_id, member_id)
) ${smallRowTable}`,
  `CREATE INDEX mintmark_group_members_by_member ON mintmark_group_members (issuer, member_id, group_id)`,

  `CREATE TABLE mintmark_group_changes (
  issuer ${key} NOT NULL,
  group_id ${key} NOT NULL,
  provider_id ${text} NOT NULL,
  change_id ${text} NOT NULL,
  joining ${json} NOT NULL,
  leaving ${json} NOT NULL,
  PRIMARY KEY (issuer, group_id)
) ${table}`,

  `CREATE TABLE mintmark_departures (
  issuer ${key} NOT NULL,
  provider_id ${key} NOT NULL,
  member_id ${key} NOT NULL,
  left_at ${integer} NOT NULL,
  PRIMARY KEY (issuer, member_id)
) ${smallRowTable}`,
  `CREATE INDEX mintmark_departures_by_provider ON mintmark_departures (issuer, provider_id, member_id)`,
]

const customResources = ({
  text,
  key,
  longKey,
  integer,
  json,
  searchable,
  table,
  smallRowTable,
  partialIndex,
}: SqlEngine['types']): readonly string[] => [
  `CREATE TABLE mintmark_custom_resources (
  issuer ${key} NOT NULL,
  resource_id ${key} NOT NULL,
  provider_id ${key} NOT NULL,
  resource_type ${key} NOT NULL,
  external_id ${text},
  external_id_key ${longKey},
  resource ${json} NOT NULL,
  comparable ${searchable} NOT NULL,
  created_at ${integer} NOT NULL,
  updated_at ${integer} NOT NULL,
  version ${integer} NOT NULL,
  PRIMARY KEY (issuer, resource_id)
) ${table}`,
  partialIndex({
    name: 'mintmark_custom_resources_by_external_id',
    table: 'mintmark_custom_resources',
    columns: ['issuer', 'provider_id', 'resource_type', 'external_id_key'],
    where: 'external_id_key IS NOT NULL',
    unique: true,
  }),
  `CREATE INDEX mintmark_custom_resources_by_age ON mintmark_custom_resources (issuer, provider_id, resource_type, created_at, resource_id)`,
  `CREATE INDEX mintmark_custom_resources_by_change ON mintmark_custom_resources (issuer, provider_id, resource_type, updated_at, created_at, resource_id)`,
  `CREATE INDEX mintmark_custom_resources_by_type ON mintmark_custom_resources (issuer, provider_id, resource_type, resource_id, created_at)`,

  `CREATE TABLE mintmark_custom_resource_keys (
  issuer ${key} NOT NULL,
  provider_id ${key} NOT NULL,
  resource_type ${key} NOT NULL,
  unique_key ${longKey} NOT NULL,
  resource_id ${key} NOT NULL,
  PRIMARY KEY (issuer, resource_id, unique_key)
) ${smallRowTable}`,
  `CREATE UNIQUE INDEX mintmark_custom_resource_keys_by_key ON mintmark_custom_resource_keys (issuer, provider_id, resource_type, unique_key)`,
]
