import type { Migration } from './migration.ts'

/** Indexes for the filters and orders of groups and of resources of custom types. Each has all columns of a page's order. */
export const groupIndexes: Migration = {
  number: 26,
  name: '0026-group-indexes',
  statements: () => [
    `CREATE INDEX mintmark_groups_by_name ON mintmark_groups (issuer, provider_id, display_name_key, created_at, group_id)`,
    `CREATE INDEX mintmark_groups_by_change ON mintmark_groups (issuer, provider_id, updated_at, created_at, group_id)`,
    `CREATE INDEX mintmark_groups_by_provider ON mintmark_groups (issuer, provider_id, group_id, created_at)`,
    `CREATE INDEX mintmark_custom_resources_by_change ON mintmark_custom_resources (issuer, provider_id, resource_type, updated_at, created_at, resource_id)`,
    `CREATE INDEX mintmark_custom_resources_by_type ON mintmark_custom_resources (issuer, provider_id, resource_type, resource_id, created_at)`,
  ],
}
