import type { Migration } from './migration.ts'

/** The security profile of each client. */
export const securityProfiles: Migration = {
  number: 30,
  name: '0030-security-profiles',
  statements: ({ text }) => [`ALTER TABLE mintmark_clients ADD COLUMN profile ${text} NOT NULL DEFAULT 'standard'`],
}
