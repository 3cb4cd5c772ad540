import type { Migration } from './migration.ts'

/**
 * Signing keys rotate on a schedule, may be dropped, and may be kept in a KMS: the sealed private half becomes the
 * vault's reference to it. Existing keys sign as before.
 */
export const keySchedule: Migration = {
  number: 4,
  name: '0004-key-schedule',
  statements: ({ integer }) => [
    `ALTER TABLE mintmark_signing_keys ADD COLUMN signs_from ${integer} NOT NULL DEFAULT 0`,
    `ALTER TABLE mintmark_signing_keys ADD COLUMN dropped_at ${integer}`,
    `ALTER TABLE mintmark_signing_keys RENAME COLUMN sealed_private_jwk TO vault_entry`,
    `UPDATE mintmark_signing_keys SET signs_from = created_at, vault_entry = sealing_key_id || '.' || vault_entry`,
    `ALTER TABLE mintmark_signing_keys DROP COLUMN sealing_key_id`,
  ],
}
