import type { Migration } from './migration.ts'

const sessionEnd = 'CASE WHEN idle_expires_at < expires_at THEN idle_expires_at ELSE expires_at END'

/**
 * What may be cleared away is found by its time, not by looking at every row. None of these columns changes when a code
 * is used or a refresh token rotates: those writes touch no further index.
 */
export const purgeIndexes: Migration = {
  number: 2,
  name: '0002-purge-indexes',
  statements: () => [
    `CREATE INDEX mintmark_codes_by_expiry ON mintmark_codes (issuer, expires_at)`,
    `CREATE INDEX mintmark_interactions_by_expiry ON mintmark_interactions (issuer, expires_at)`,
    `CREATE INDEX mintmark_claims_by_expiry ON mintmark_claims (issuer, expires_at)`,
    `CREATE INDEX mintmark_opaque_tokens_by_expiry ON mintmark_opaque_tokens (issuer, expires_at)`,
    `CREATE INDEX mintmark_families_by_expiry ON mintmark_families (issuer, expires_at)`,
    // Of the earlier of two times: an index of either could be taken for a way to a person's sessions.
    `CREATE INDEX mintmark_sessions_by_end ON mintmark_sessions (issuer, (${sessionEnd}))`,
    `CREATE INDEX mintmark_grants_by_revocation ON mintmark_grants (issuer, revoked_at) WHERE revoked_at IS NOT NULL`,
  ],
}
