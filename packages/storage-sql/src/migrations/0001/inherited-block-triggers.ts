import type { SqlEngine, SqlTrigger } from '../../dialect.ts'

/**
 * A user who gets the keys of one who was removed while blocked is blocked. A statement of PostgreSQL that has waited for the
 * removal does not see it, so a trigger looks again. The triggers, each with its query.
 */
export const inheritedBlockTriggers = ({
  differ,
  lockToRead,
}: SqlEngine['types']): readonly (readonly [Omit<SqlTrigger, 'statements'>, string])[] => [
  [
    {
      name: 'mintmark_user_block_inherited',
      table: 'mintmark_users',
      after: 'INSERT',
      when: 'NEW.provider_id IS NOT NULL AND NEW.blocked_at IS NULL',
      onlyIf: formerWithKeys(lockToRead),
    },
    keys.map((key) => blockOf(key, { lockToRead })).join(' UNION ALL '),
  ],
  [
    {
      name: 'mintmark_user_block_taken',
      table: 'mintmark_users',
      after: 'UPDATE OF external_id_key, user_name_key',
      when: 'NEW.provider_id = OLD.provider_id AND NEW.blocked_at IS NULL',
      onlyIf: formerWithKeys(lockToRead),
    },
    keys.map((key) => blockOf(key, { lockToRead, condition: differ(`NEW.${key}`, `OLD.${key}`) })).join(' UNION ALL '),
  ],
]

const keys = ['external_id_key', 'user_name_key']

/** A row for each former user who had one of the keys. Most users have none, and this takes a third of the time of the whole query. */
const formerWithKeys = (lockToRead: string): string =>
  keys
    .map((key) => `SELECT 1 FROM (SELECT former.user_id ${formerWith(key)} ${lockToRead}) AS found`)
    .join(' UNION ALL ')

const formerWith = (
  key: string,
): string => `FROM mintmark_users AS former WHERE former.issuer = NEW.issuer AND former.former_provider_id = NEW.provider_id
      AND former.former_${key} = NEW.${key}`

/**
 * A row if the last former user who had a key is blocked, or one of those who lost it in the same second. The block of a row that
 * only keeps former keys of a user is in the row of the user.
 */
function blockOf(
  key: string,
  { lockToRead, condition = 'true' }: { readonly lockToRead: string; readonly condition?: string },
): string {
  return `SELECT 1 FROM (SELECT blocked_at FROM (
      SELECT former.former_since, CASE WHEN former.removed_at IS NULL OR former.external_id IS NULL THEN former.blocked_at
        ELSE (SELECT owner.blocked_at FROM mintmark_users AS owner WHERE owner.issuer = former.issuer AND owner.user_id = former.external_id ${lockToRead}) END AS blocked_at
      ${formerWith(key)} AND ${condition} ${lockToRead}) AS found
    ORDER BY former_since DESC, blocked_at IS NULL LIMIT 1) AS last WHERE blocked_at IS NOT NULL`
}
