import type { Migration } from './migration.ts'

/**
 * What clients are registered for: PKCE, the audience of their assertions, and the APIs that they may request tokens
 * for. A grant also contains the APIs that the user consented to; for existing grants users are asked again.
 */
export const clientChoices: Migration = {
  number: 12,
  name: '0012-client-choices',
  statements: ({ json, flag }) => [
    `ALTER TABLE mintmark_clients ADD COLUMN require_pkce ${flag} NOT NULL DEFAULT FALSE`,
    `ALTER TABLE mintmark_clients ADD COLUMN allow_token_endpoint_audience ${flag} NOT NULL DEFAULT FALSE`,
    `ALTER TABLE mintmark_clients ADD COLUMN resources ${json}`,
    `ALTER TABLE mintmark_grants ADD COLUMN resources ${json} NOT NULL DEFAULT '[]'`,
  ],
}
