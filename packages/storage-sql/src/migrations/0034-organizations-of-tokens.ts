import type { Migration } from './migration.ts'

/** Codes, token families and clients may be for an organization. Few are, so the index has only those. */
export const organizationsOfTokens: Migration = {
  number: 34,
  name: '0034-organizations-of-tokens',
  statements: ({ text }) => [
    `ALTER TABLE mintmark_codes ADD COLUMN organization_id ${text}`,
    `ALTER TABLE mintmark_families ADD COLUMN organization_id ${text}`,
    `ALTER TABLE mintmark_clients ADD COLUMN organization_id ${text}`,
    `CREATE INDEX mintmark_families_by_organization ON mintmark_families (issuer, organization_id, user_id) WHERE organization_id IS NOT NULL`,
  ],
}
