import type { SqlTrigger } from '../dialect.ts'

/**
 * What follows from accounts and organizations that come and go: the total, and the end of memberships. They are part of
 * migration 5: they never change.
 *
 * PostgreSQL runs triggers in the order of their names, and these come behind those that migration 3 has for accounts: the row
 * of the total is every account's, and is held until the statement ends. Nothing is waited for while it is held.
 */
export const administrationTriggers: readonly SqlTrigger[] = [
  {
    name: 'mintmark_users_counted',
    table: 'mintmark_users',
    after: 'INSERT',
    when: 'NEW.removed_at IS NULL',
    statements: [
      `INSERT INTO mintmark_account_totals (issuer, total) VALUES (NEW.issuer, 1)
    ON CONFLICT (issuer) DO UPDATE SET total = mintmark_account_totals.total + 1`,
    ],
  },
  {
    name: 'mintmark_users_removed',
    table: 'mintmark_users',
    after: 'UPDATE OF removed_at',
    when: 'OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL',
    statements: [
      'DELETE FROM mintmark_memberships WHERE issuer = OLD.issuer AND user_id = OLD.user_id',
      'UPDATE mintmark_account_totals SET total = total - 1 WHERE issuer = OLD.issuer',
    ],
  },
  {
    name: 'mintmark_organizations_removed',
    table: 'mintmark_organizations',
    after: 'UPDATE OF removed_at',
    when: 'OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL',
    statements: [
      'DELETE FROM mintmark_memberships WHERE issuer = OLD.issuer AND organization_id = OLD.organization_id',
    ],
  },
]
