import type { Migration } from './migration.ts'

/** Codes and token families may be bound to a key of the client. What was issued before is not. */
export const possession: Migration = {
  number: 31,
  name: '0031-possession',
  statements: ({ flag, json }) => [
    `ALTER TABLE mintmark_codes ADD COLUMN possession ${json} NOT NULL DEFAULT '{"kind":"none"}'`,
    `ALTER TABLE mintmark_families ADD COLUMN possession ${json} NOT NULL DEFAULT '{"kind":"none"}'`,
    `ALTER TABLE mintmark_clients ADD COLUMN dpop_bound_access_tokens ${flag} NOT NULL DEFAULT FALSE`,
  ],
}
