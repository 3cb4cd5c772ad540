import type { Migration } from './migration.ts'

/**
 * The parties that decide about a user: the host's block apart from the provider's `active`, the keys of users whom a provider removed, and the
 * e-mail domains that belong to the customer of a provider. Users without a provider who are inactive were deactivated by the host.
 */
export const tenants: Migration = {
  number: 15,
  name: '0015-tenants',
  statements: ({ text, integer, flag, json }) => [
    `ALTER TABLE mintmark_identity_providers ADD COLUMN verified_domains ${json} NOT NULL DEFAULT '[]'`,
    `ALTER TABLE mintmark_users ADD COLUMN blocked_at ${integer}`,
    `ALTER TABLE mintmark_users ADD COLUMN active_after_block ${flag}`,
    `ALTER TABLE mintmark_users ADD COLUMN former_since ${integer}`,
    ...['former_provider_id', 'former_external_id_key', 'former_user_name_key'].map(
      (column) => `ALTER TABLE mintmark_users ADD COLUMN ${column} ${text}`,
    ),
    `UPDATE mintmark_users SET blocked_at = updated_at, active_after_block = TRUE WHERE provider_id IS NULL AND NOT active AND removed_at IS NULL`,
    `CREATE INDEX mintmark_users_by_former_external_id ON mintmark_users (issuer, former_provider_id, former_external_id_key, former_since) WHERE former_external_id_key IS NOT NULL`,
    `CREATE INDEX mintmark_users_by_former_user_name ON mintmark_users (issuer, former_provider_id, former_user_name_key, former_since) WHERE former_user_name_key IS NOT NULL`,
  ],
}
