import type { Migration } from './migration.ts'

/** Rows of signing keys are authenticated. The server accepts no row without a MAC. */
export const signingKeyMacs: Migration = {
  number: 17,
  name: '0017-signing-key-macs',
  statements: () => [`ALTER TABLE mintmark_signing_keys ADD COLUMN row_mac TEXT`],
}
