import type { SqlEngine, SqlTrigger } from '../../dialect.ts'
import { decrementTotal, incrementTotal } from './user-triggers.ts'

/**
 * Triggers that update the provider's totals when a group or a resource of a custom type is created or removed, and that remove
 * the memberships of a removed group and the keys of a removed resource. They do not update the groups that contained a
 * group: the statement that removes the group does that.
 */
export const groupTriggers = (types: SqlEngine['types']): readonly SqlTrigger[] => [
  {
    name: 'mintmark_group_inserted',
    table: 'mintmark_groups',
    after: 'INSERT',
    when: 'NEW.provider_id IS NOT NULL',
    statements: [incrementTotal(`'Group'`, types)],
  },
  {
    name: 'mintmark_group_deleted',
    table: 'mintmark_groups',
    after: 'DELETE',
    when: 'OLD.provider_id IS NOT NULL',
    statements: [
      'DELETE FROM mintmark_group_members WHERE issuer = OLD.issuer AND group_id = OLD.group_id',
      decrementTotal(`'Group'`),
    ],
  },
  {
    name: 'mintmark_custom_resource_inserted',
    table: 'mintmark_custom_resources',
    after: 'INSERT',
    when: 'NEW.provider_id IS NOT NULL',
    statements: [incrementTotal(`'type ' || NEW.resource_type`, types)],
  },
  {
    name: 'mintmark_custom_resource_deleted',
    table: 'mintmark_custom_resources',
    after: 'DELETE',
    when: 'OLD.provider_id IS NOT NULL',
    statements: [
      'DELETE FROM mintmark_custom_resource_keys WHERE issuer = OLD.issuer AND resource_id = OLD.resource_id',
      decrementTotal(`'type ' || OLD.resource_type`),
    ],
  },
]
