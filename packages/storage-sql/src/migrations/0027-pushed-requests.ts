import type { Migration } from './migration.ts'

/** Authorization requests that clients sent in advance. */
export const pushedRequests: Migration = {
  number: 27,
  name: '0027-pushed-requests',
  statements: ({ text, integer, flag, json, table }) => [
    `CREATE TABLE mintmark_pushed_requests (
  issuer ${text} NOT NULL,
  digest ${text} NOT NULL,
  client_id ${text} NOT NULL,
  parameters ${json} NOT NULL,
  resources ${json} NOT NULL,
  usable_until ${integer} NOT NULL,
  created_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL,
  consumed_at ${integer},
  PRIMARY KEY (issuer, digest)
) ${table}`,
    `CREATE INDEX mintmark_pushed_requests_by_expiry ON mintmark_pushed_requests (issuer, expires_at)`,
    `ALTER TABLE mintmark_clients ADD COLUMN require_pushed_authorization_requests ${flag} NOT NULL DEFAULT FALSE`,
  ],
}
