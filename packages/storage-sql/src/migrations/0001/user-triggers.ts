import type { SqlEngine, SqlTrigger } from '../../dialect.ts'

type Types = SqlEngine['types']

/**
 * Triggers that keep the totals of users, of each identity provider and of each issuer, and the times of the last change of
 * provisioned users. They run within the statement that changes the user, so that no other write can happen in between. Those that
 * lock a total have the last names: see `schema`.
 */
export const userTriggers = (types: Types): readonly SqlTrigger[] => [
  {
    name: 'mintmark_user_linked',
    table: 'mintmark_users',
    after: 'UPDATE OF provider_id',
    when: 'OLD.provider_id IS NULL AND NEW.provider_id IS NOT NULL',
    statements: [incrementTotal(`'User'`, types)],
  },
  {
    name: 'mintmark_users_counted',
    table: 'mintmark_users',
    after: 'INSERT',
    when: 'NEW.removed_at IS NULL',
    statements: [
      types.count({
        table: 'mintmark_user_totals',
        values: { issuer: 'NEW.issuer', total: '1' },
        key: ['issuer'],
        counter: 'total',
      }),
    ],
  },
  {
    name: 'mintmark_users_removed',
    table: 'mintmark_users',
    after: 'UPDATE OF removed_at',
    when: 'OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL',
    statements: [
      'DELETE FROM mintmark_memberships WHERE issuer = OLD.issuer AND user_id = OLD.user_id',
      'UPDATE mintmark_user_totals SET total = total - 1 WHERE issuer = OLD.issuer',
    ],
  },
  {
    name: 'mintmark_user_provisioned',
    table: 'mintmark_users',
    after: 'INSERT',
    when: 'NEW.provider_id IS NOT NULL',
    statements: [incrementTotal(`'User'`, types)],
  },
  {
    name: 'mintmark_user_touched',
    table: 'mintmark_users',
    after: 'UPDATE OF provider_id, active, updated_at',
    when: `(${types.differ('OLD.provider_id', 'NEW.provider_id')} OR OLD.active <> NEW.active OR OLD.updated_at <> NEW.updated_at)`,
    statements: [
      `DELETE FROM mintmark_user_changes WHERE issuer = OLD.issuer AND provider_id = OLD.provider_id
    AND updated_at = OLD.updated_at AND created_at = OLD.created_at AND user_id = OLD.user_id`,
      insertChange(),
    ],
  },
]

/** A statement that writes the time of the last change of a provisioned user. */
export function insertChange(): string {
  return `INSERT INTO mintmark_user_changes (issuer, provider_id, updated_at, created_at, user_id, active)
    SELECT NEW.issuer, NEW.provider_id, NEW.updated_at, NEW.created_at, NEW.user_id, NEW.active WHERE NEW.provider_id IS NOT NULL`
}

/** A statement that counts a new resource of a provider. @param kind an SQL expression. */
export const incrementTotal = (kind: string, { count }: Types): string =>
  count({
    table: 'mintmark_provider_totals',
    values: { issuer: 'NEW.issuer', provider_id: 'NEW.provider_id', kind, total: '1' },
    key: ['issuer', 'provider_id', 'kind'],
    counter: 'total',
  })

/** A statement that no longer counts a resource of a provider. @param kind an SQL expression. */
export function decrementTotal(kind: string): string {
  return `UPDATE mintmark_provider_totals SET total = total - 1
    WHERE issuer = OLD.issuer AND provider_id = OLD.provider_id AND kind = ${kind}`
}
