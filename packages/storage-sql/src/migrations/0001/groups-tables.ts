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
export const groupsTables = ({
  text,
  integer,
  json,
  searchable,
  table,
  smallRowTable,
}: SqlEngine['types']): readonly string[] => [
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
  `CREATE INDEX mintmark_groups_by_name ON mintmark_groups (issuer, provider_id, display_name_key, created_at, group_id)`,
  `CREATE INDEX mintmark_groups_by_change ON mintmark_groups (issuer, provider_id, updated_at, created_at, group_id)`,
  `CREATE INDEX mintmark_groups_by_provider ON mintmark_groups (issuer, provider_id, group_id, created_at)`,

  `CREATE TABLE mintmark_group_members (
  issuer ${text} NOT NULL,
  provider_id ${text} NOT NULL,
  group_id ${text} NOT NULL,
  member_id ${text} NOT NULL,
  member_type ${text} NOT NULL,
  PRIMARY KEY (issuer, group_id, member_id)
) ${smallRowTable}`,
  `CREATE INDEX mintmark_group_members_by_member ON mintmark_group_members (issuer, member_id, group_id)`,

  `CREATE TABLE mintmark_group_changes (
  issuer ${text} NOT NULL,
  group_id ${text} NOT NULL,
  provider_id ${text} NOT NULL,
  change_id ${text} NOT NULL,
  joining ${json} NOT NULL,
  leaving ${json} NOT NULL,
  PRIMARY KEY (issuer, group_id)
) ${table}`,

  `CREATE TABLE mintmark_departures (
  issuer ${text} NOT NULL,
  provider_id ${text} NOT NULL,
  member_id ${text} NOT NULL,
  left_at ${integer} NOT NULL,
  PRIMARY KEY (issuer, member_id)
) ${smallRowTable}`,
  `CREATE INDEX mintmark_departures_by_provider ON mintmark_departures (issuer, provider_id, member_id)`,

  `CREATE TABLE mintmark_custom_resources (
  issuer ${text} NOT NULL,
  resource_id ${text} NOT NULL,
  provider_id ${text} NOT NULL,
  resource_type ${text} NOT NULL,
  external_id ${text},
  external_id_key ${text},
  resource ${json} NOT NULL,
  comparable ${searchable} NOT NULL,
  created_at ${integer} NOT NULL,
  updated_at ${integer} NOT NULL,
  version ${integer} NOT NULL,
  PRIMARY KEY (issuer, resource_id)
) ${table}`,
  `CREATE UNIQUE INDEX mintmark_custom_resources_by_external_id ON mintmark_custom_resources (issuer, provider_id, resource_type, external_id_key) WHERE external_id_key IS NOT NULL`,
  `CREATE INDEX mintmark_custom_resources_by_age ON mintmark_custom_resources (issuer, provider_id, resource_type, created_at, resource_id)`,
  `CREATE INDEX mintmark_custom_resources_by_change ON mintmark_custom_resources (issuer, provider_id, resource_type, updated_at, created_at, resource_id)`,
  `CREATE INDEX mintmark_custom_resources_by_type ON mintmark_custom_resources (issuer, provider_id, resource_type, resource_id, created_at)`,

  `CREATE TABLE mintmark_custom_resource_keys (
  issuer ${text} NOT NULL,
  provider_id ${text} NOT NULL,
  resource_type ${text} NOT NULL,
  unique_key ${text} NOT NULL,
  resource_id ${text} NOT NULL,
  PRIMARY KEY (issuer, resource_id, unique_key)
) ${smallRowTable}`,
  `CREATE UNIQUE INDEX mintmark_custom_resource_keys_by_key ON mintmark_custom_resource_keys (issuer, provider_id, resource_type, unique_key)`,
]
