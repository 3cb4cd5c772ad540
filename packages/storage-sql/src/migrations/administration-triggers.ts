import type { SqlTrigger } from '../dialect.ts'

/**
 * Triggers that update the total of users, and remove the memberships of removed users and organizations. They are part
 * of migration 5 and never change.
 *
 * PostgreSQL runs triggers in the order of their names, and these run after the triggers of migration 3. They lock the
 * total, which all users of the issuer share, until the transaction ends, so no other trigger may wait after them.
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
