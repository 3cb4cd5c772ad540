import type { Migration } from './migration.ts'

/** What users grant in detail, and the types that clients may ask for. What was issued before has no details. */
export const authorizationDetails: Migration = {
  number: 39,
  name: '0039-authorization-details',
  statements: ({ json }) => [
    `ALTER TABLE mintmark_codes ADD COLUMN authorization_details ${json} NOT NULL DEFAULT '[]'`,
    `ALTER TABLE mintmark_families ADD COLUMN authorization_details ${json} NOT NULL DEFAULT '[]'`,
    `ALTER TABLE mintmark_grants ADD COLUMN authorization_details ${json} NOT NULL DEFAULT '[]'`,
    `ALTER TABLE mintmark_clients ADD COLUMN authorization_details_types ${json} NOT NULL DEFAULT '[]'`,
  ],
}
