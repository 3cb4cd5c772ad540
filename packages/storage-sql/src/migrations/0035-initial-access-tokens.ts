import type { Migration } from './migration.ts'

/** Clients that register themselves with an administrator's permission. */
export const registrations: Migration = {
  number: 35,
  name: '0035-initial-access-tokens',
  statements: ({ text, integer, json, table }) => [
    `CREATE TABLE mintmark_initial_access_tokens (
  issuer ${text} NOT NULL,
  token_id ${text} NOT NULL,
  digest ${text} NOT NULL,
  display_name ${text} NOT NULL,
  grant_types ${json} NOT NULL,
  scopes ${json} NOT NULL,
  redirect_hosts ${json} NOT NULL,
  remaining ${integer} NOT NULL,
  created_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL,
  revoked_at ${integer},
  PRIMARY KEY (issuer, token_id)
) ${table}`,
    `CREATE INDEX mintmark_initial_access_tokens_by_expiry ON mintmark_initial_access_tokens (issuer, expires_at)`,
    `ALTER TABLE mintmark_clients ADD COLUMN origin ${text} NOT NULL DEFAULT 'administrator'`,
  ],
}
