import type { Migration } from './migration.ts'

/** An accepted retry with the previous refresh token starts its retry window again. */
export const retriedTokens: Migration = {
  number: 56,
  name: '0056-retried-tokens',
  statements: ({ integer }) => [`ALTER TABLE mintmark_families ADD COLUMN retried_at ${integer}`],
}
