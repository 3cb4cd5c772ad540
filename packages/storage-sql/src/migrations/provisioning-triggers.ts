import type { SqlEngine, SqlTrigger } from '../dialect.ts'

/**
 * Triggers that update the e-mail values, the provider's total of users and the memberships when a provisioned user
 * changes. They run within the statement that changes the user, so that no other write can happen in between. They are part of
 * migration 3 and never change.
 */
export const userTriggers = (types: SqlEngine['types']): readonly SqlTrigger[] => [
  {
    name: 'mintmark_user_provisioned',
    table: 'mintmark_users',
    after: 'INSERT',
    when: 'NEW.provider_id IS NOT NULL',
    statements: [insertEmails(types), incrementTotal('User')],
  },
  {
    name: 'mintmark_user_emails_changed',
    table: 'mintmark_users',
    after: 'UPDATE OF provider_id, comparable',
    when: `OLD.provider_id IS DISTINCT FROM NEW.provider_id OR (OLD.comparable -> 'emails') IS DISTINCT FROM (NEW.comparable -> 'emails')`,
    statements: [deleteEmails(types), insertEmails(types)],
  },
  {
    name: 'mintmark_user_linked',
    table: 'mintmark_users',
    after: 'UPDATE OF provider_id',
    when: 'OLD.provider_id IS NULL AND NEW.provider_id IS NOT NULL',
    statements: [incrementTotal('User')],
  },
  {
    name: 'mintmark_user_unlinked',
    table: 'mintmark_users',
    after: 'UPDATE OF provider_id',
    when: 'OLD.provider_id IS NOT NULL AND NEW.provider_id IS NULL',
    statements: [
      // Locked in one order, so that two removals from the same groups do not deadlock.
      `UPDATE mintmark_groups SET version = version + 1, updated_at = NEW.updated_at
    WHERE issuer = OLD.issuer AND group_id IN (${types.lockGroups({ issuer: 'OLD.issuer', ids: groupsOfOld })})`,
      // The redundant condition on groups makes SQLite find the rows by their key.
      `DELETE FROM mintmark_group_members
    WHERE issuer = OLD.issuer AND member_id = OLD.user_id AND group_id IN (${groupsOfOld})`,
      // Last, because it locks the total, which all users of the provider share, until the transaction ends.
      decrementTotal('User'),
    ],
  },
]

/**
 * Triggers that update the provider's total of groups when a group is created or removed, and that remove the memberships
 * of a removed group. They do not update the groups that contained it: the statement that removes the group does that.
 */
export const groupTriggers: readonly SqlTrigger[] = [
  {
    name: 'mintmark_group_inserted',
    table: 'mintmark_groups',
    after: 'INSERT',
    when: 'NEW.provider_id IS NOT NULL',
    statements: [incrementTotal('Group')],
  },
  {
    name: 'mintmark_group_deleted',
    table: 'mintmark_groups',
    after: 'DELETE',
    when: 'OLD.provider_id IS NOT NULL',
    statements: [
      'DELETE FROM mintmark_group_members WHERE issuer = OLD.issuer AND group_id = OLD.group_id',
      decrementTotal('Group'),
    ],
  },
]

const groupsOfOld = 'SELECT group_id FROM mintmark_group_members WHERE issuer = OLD.issuer AND member_id = OLD.user_id'

function insertEmails({ emailValues }: SqlEngine['types']): string {
  return `INSERT INTO mintmark_user_emails (issuer, provider_id, value, user_id)
    SELECT NEW.issuer, NEW.provider_id, email.value, NEW.user_id FROM (${emailValues('NEW.comparable')}) AS email
    WHERE NEW.provider_id IS NOT NULL`
}

/**
 * Finds the rows by the e-mail values. If `user_id` were compared directly, an engine without statistics would choose a
 * plan that reads every address of the provider.
 */
function deleteEmails({ emailValues }: SqlEngine['types']): string {
  return `DELETE FROM mintmark_user_emails
    WHERE issuer = OLD.issuer AND provider_id = OLD.provider_id AND user_id || '' = OLD.user_id
    AND value IN (${emailValues('OLD.comparable')})`
}

function incrementTotal(kind: 'User' | 'Group'): string {
  return `INSERT INTO mintmark_provider_totals (issuer, provider_id, kind, total) VALUES (NEW.issuer, NEW.provider_id, '${kind}', 1)
    ON CONFLICT (issuer, provider_id, kind) DO UPDATE SET total = mintmark_provider_totals.total + 1`
}

export function decrementTotal(kind: 'User' | 'Group'): string {
  return `UPDATE mintmark_provider_totals SET total = total - 1
    WHERE issuer = OLD.issuer AND provider_id = OLD.provider_id AND kind = '${kind}'`
}
