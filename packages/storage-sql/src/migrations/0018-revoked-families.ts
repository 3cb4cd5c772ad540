import type { Migration } from './migration.ts'

/** Revoked token families are purged before they would expire. Rotation changes no column of this index. */
export const revokedFamilies: Migration = {
  number: 18,
  name: '0018-revoked-families',
  statements: () => [
    `CREATE INDEX mintmark_families_by_revocation ON mintmark_families (issuer, revoked_at) WHERE revoked_at IS NOT NULL`,
  ],
}
