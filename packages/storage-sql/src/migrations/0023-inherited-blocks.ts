import type { SqlTrigger } from '../dialect.ts'
import type { Migration } from './migration.ts'

/**
 * A user who gets the keys of one who was removed while blocked is blocked. A statement of PostgreSQL that has waited for the removal
 * does not see it, so a trigger looks again. Its name comes before those of the triggers that lock totals.
 */
export const inheritedBlocks: Migration = {
  number: 23,
  name: '0023-inherited-blocks',
  statements: ({ startAgain }) => blockTriggers(blockOf).flatMap(([trigger, query]) => startAgain(trigger, query)),
}

/** The triggers, each with its query. @param find returns a query for the block of a key, under a condition. */
export const blockTriggers = (
  find: (key: string, condition?: string) => string,
): readonly (readonly [Omit<SqlTrigger, 'statements'>, string])[] => [
  [
    {
      name: 'mintmark_user_block_inherited',
      table: 'mintmark_users',
      after: 'INSERT',
      when: 'NEW.provider_id IS NOT NULL AND NEW.blocked_at IS NULL',
    },
    `${find('external_id_key')} UNION ALL ${find('user_name_key')}`,
  ],
  [
    {
      name: 'mintmark_user_block_taken',
      table: 'mintmark_users',
      after: 'UPDATE OF external_id_key, user_name_key',
      when: 'NEW.provider_id = OLD.provider_id AND NEW.blocked_at IS NULL',
    },
    ['external_id_key', 'user_name_key']
      .map((key) => find(key, `NEW.${key} IS DISTINCT FROM OLD.${key}`))
      .join(' UNION ALL '),
  ],
]

/** A row if the last removed user who had a key was blocked. */
const blockOf = (key: string, condition = 'true'): string =>
  `SELECT FROM (SELECT blocked_at FROM mintmark_users WHERE issuer = NEW.issuer AND former_provider_id = NEW.provider_id
    AND former_${key} = NEW.${key} AND ${condition} ORDER BY former_since DESC LIMIT 1) AS last WHERE blocked_at IS NOT NULL`
