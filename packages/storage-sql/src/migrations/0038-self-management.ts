import type { Migration } from './migration.ts'

/** What clients that registered themselves may change in their registration, and with which token. */
export const selfManagement: Migration = {
  number: 38,
  name: '0038-self-management',
  statements: ({ json }) => [`ALTER TABLE mintmark_clients ADD COLUMN self_management ${json}`],
}
