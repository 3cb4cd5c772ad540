import type { SqlDialect } from '@mintmark/storage-sql'

import { builtInAttributes } from '../../../../packages/storage-sql/src/migrations/0001/user-value-triggers.ts'
import { multiplyRow, type MultipliedRow } from './multiply-row.ts'

/** Inserts copies of a user with one statement, and writes the data that triggers maintain. */
export async function fillUsers(dialect: SqlDialect, copies: Omit<MultipliedRow, 'table'>): Promise<void> {
  const statement = await multiplyRow(dialect, { ...copies, table: 'mintmark_users' })
  await dialect.atomically(
    dialect.engine.name === 'postgres'
      ? withoutTriggers(statement, { rows: copies.rows, types: dialect.engine.types })
      : [statement],
  )
}

/**
 * Disables triggers and writes their data directly: a million updates of one total in a transaction would take hours.
 */
const withoutTriggers = (
  copies: string,
  { rows, types }: { readonly rows: number; readonly types: SqlDialect['engine']['types'] },
): readonly string[] => [
  'ALTER TABLE mintmark_users DISABLE TRIGGER USER',
  copies,
  `UPDATE mintmark_provider_totals SET total = total + ${rows} WHERE kind = 'User'`,
  `UPDATE mintmark_user_totals SET total = total + ${rows}`,
  ...indexedAgain(types),
  'ALTER TABLE mintmark_users ENABLE TRIGGER USER',
]

/** Statements that write the narrow tables of users again. */
export const indexedAgain = (types: SqlDialect['engine']['types']): readonly string[] => [
  'DELETE FROM mintmark_user_values',
  'DELETE FROM mintmark_user_changes',
  `INSERT INTO mintmark_user_values (issuer, provider_id, created_at, user_id, attribute, kind, value, is_unique)
   ${types.indexedValues({ ...builtInAttributes(types, 'document'), row: 'listed', from: 'mintmark_users AS listed' })}`,
  `INSERT INTO mintmark_user_changes (issuer, provider_id, updated_at, created_at, user_id, active)
   SELECT issuer, provider_id, updated_at, created_at, user_id, active FROM mintmark_users WHERE provider_id IS NOT NULL`,
]
