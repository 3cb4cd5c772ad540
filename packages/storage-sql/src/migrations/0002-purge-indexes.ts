import type { Migration } from './migration.ts'

const sessionEnd = 'CASE WHEN idle_expires_at < expires_at THEN idle_expires_at ELSE expires_at END'

/**
 * Expired rows are found by their time, without reading every row. None of these columns changes when a code is used or
 * a refresh token rotates, so those writes touch no further index.
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
    // The earlier of two times: the planner could mistake an index of either for a way to the sessions of a user.
    `CREATE INDEX mintmark_sessions_by_end ON mintmark_sessions (issuer, (${sessionEnd}))`,
    `CREATE INDEX mintmark_grants_by_revocation ON mintmark_grants (issuer, revoked_at) WHERE revoked_at IS NOT NULL`,
  ],
}
