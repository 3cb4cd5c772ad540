import type { Migration } from './migration.ts'
import { firstValues, valueTriggers } from './value-triggers.ts'

/**
 * Indexes for the filters and orders of identity providers, as narrow tables that triggers keep. Indexes on
 * `mintmark_users` would make every change of a user write all indexes on PostgreSQL (it could not be a heap-only
 * update), and a host's own attributes are not known here. The e-mail addresses move into the new table.
 *
 * `kind` says what `value` is: 0 the whole text, 1 none, because the attribute is absent, and 2 the beginning of a long text or a
 * value that is no text. It is part of the key, so that a search reads the index alone.
 */
export const indexedValues: Migration = {
  number: 13,
  name: '0013-indexed-values',
  statements: (types) => {
    const { text, integer, flag, smallRowTable } = types
    return [
      `CREATE TABLE mintmark_indexed_attributes (
  issuer ${text} NOT NULL,
  attribute ${text} NOT NULL,
  path ${text} NOT NULL,
  part ${text},
  is_unique ${flag} NOT NULL,
  PRIMARY KEY (issuer, attribute)
) ${smallRowTable}`,

      `CREATE TABLE mintmark_user_values (
  issuer ${text} NOT NULL,
  provider_id ${text} NOT NULL,
  attribute ${text} NOT NULL,
  kind ${integer} NOT NULL,
  value ${text} NOT NULL,
  created_at ${integer} NOT NULL,
  user_id ${text} NOT NULL,
  is_unique ${flag} NOT NULL,
  PRIMARY KEY (issuer, provider_id, attribute, kind, value, created_at, user_id)
) ${smallRowTable}`,
      `CREATE UNIQUE INDEX mintmark_user_values_unique ON mintmark_user_values (issuer, provider_id, attribute, value) WHERE is_unique AND kind <> 1`,

      `CREATE TABLE mintmark_user_changes (
  issuer ${text} NOT NULL,
  provider_id ${text} NOT NULL,
  updated_at ${integer} NOT NULL,
  created_at ${integer} NOT NULL,
  user_id ${text} NOT NULL,
  active ${flag} NOT NULL,
  PRIMARY KEY (issuer, provider_id, updated_at, created_at, user_id)
) ${smallRowTable}`,
      `CREATE INDEX mintmark_user_changes_by_identifier ON mintmark_user_changes (issuer, provider_id, user_id, created_at)`,

      ...types.dropTrigger({ name: 'mintmark_user_provisioned', table: 'mintmark_users' }),
      ...types.dropTrigger({ name: 'mintmark_user_emails_changed', table: 'mintmark_users' }),
      'DROP TABLE mintmark_user_emails',
      ...firstValues(types),
      ...valueTriggers(types).flatMap(types.trigger),
    ]
  },
}
