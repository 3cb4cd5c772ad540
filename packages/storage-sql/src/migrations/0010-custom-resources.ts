import type { SqlEngine } from '../dialect.ts'
import type { Migration } from './migration.ts'

/**
 * Resources of types that the host defines. Every index begins with issuer, provider and type, so that the size of one type does
 * not slow down another. A unique text has a row of its own, because a resource may have several.
 */
export const customResources: Migration = {
  number: 10,
  name: '0010-custom-resources',
  statements: (types) => [...tables(types), ...triggers.flatMap(types.trigger)],
}

const tables = ({ text, integer, json, searchable, table, smallRowTable }: SqlEngine['types']): readonly string[] => [
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

/**
 * Triggers that update the total of a resource type, as for users and groups, and remove the keys of a removed resource.
 */
const triggers = [
  {
    name: 'mintmark_custom_resource_inserted',
    table: 'mintmark_custom_resources',
    after: 'INSERT',
    when: 'NEW.provider_id IS NOT NULL',
    statements: [
      `INSERT INTO mintmark_provider_totals (issuer, provider_id, kind, total) VALUES (NEW.issuer, NEW.provider_id, 'type ' || NEW.resource_type, 1)
    ON CONFLICT (issuer, provider_id, kind) DO UPDATE SET total = mintmark_provider_totals.total + 1`,
    ],
  },
  {
    name: 'mintmark_custom_resource_deleted',
    table: 'mintmark_custom_resources',
    after: 'DELETE',
    when: 'OLD.provider_id IS NOT NULL',
    statements: [
      'DELETE FROM mintmark_custom_resource_keys WHERE issuer = OLD.issuer AND resource_id = OLD.resource_id',
      `UPDATE mintmark_provider_totals SET total = total - 1
    WHERE issuer = OLD.issuer AND provider_id = OLD.provider_id AND kind = 'type ' || OLD.resource_type`,
    ],
  },
]
