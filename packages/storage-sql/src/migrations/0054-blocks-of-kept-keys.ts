import type { Migration } from './migration.ts'
import { blockTriggers } from './0023-inherited-blocks.ts'

/**
 * The triggers of migration 23 look up the block of a row that only keeps former keys of a user in the row of the user. Before,
 * they took its user for one who was not blocked.
 */
export const blocksOfKeptKeys: Migration = {
  number: 54,
  name: '0054-blocks-of-kept-keys',
  statements: ({ startAgain, dropTrigger }) =>
    blockTriggers(blockOfKey).flatMap(([trigger, query]) => {
      const created = startAgain(trigger, query)
      return created.length === 0 ? [] : [...dropTrigger(trigger), ...created]
    }),
}

/** A row if the last former user who had a key is blocked, or one of those who lost it in the same second. */
const blockOfKey = (key: string, condition = 'true'): string =>
  `SELECT FROM (SELECT CASE WHEN former.removed_at IS NULL OR former.external_id IS NULL THEN former.blocked_at
      ELSE (SELECT owner.blocked_at FROM mintmark_users AS owner WHERE owner.issuer = former.issuer AND owner.user_id = former.external_id) END AS blocked_at
    FROM mintmark_users AS former WHERE former.issuer = NEW.issuer AND former.former_provider_id = NEW.provider_id
    AND former.former_${key} = NEW.${key} AND ${condition} ORDER BY former.former_since DESC, 1 LIMIT 1) AS last WHERE blocked_at IS NOT NULL`
