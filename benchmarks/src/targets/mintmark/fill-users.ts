import type { SqlDialect } from '@mintmark/storage-sql'

import { firstValues } from '../../../../packages/storage-sql/src/migrations/value-triggers.ts'
import { multiplyRow, type MultipliedRow } from './multiply-row.ts'

/** Inserts copies of a user with one statement, and writes the data that triggers maintain. */
export async function fillUsers(dialect: SqlDialect, copies: Omit<MultipliedRow, 'table'>): Promise<void> {
  const statement = await multiplyRow(dialect, { ...copies, table: 'mintmark_users' })
  await dialect.atomically(
    dialect.engine.name === 'postgres'
      ? withoutTriggers(statement, { rows: copies.rows, values: firstValues(dialect.engine.types) })
      : [statement],
  )
}

/**
 * Disables triggers and writes their data directly: a million updates of one total in a transaction would take hours.
 */
const withoutTriggers = (
  copies: string,
  { rows, values }: { readonly rows: number; readonly values: readonly string[] },
): readonly string[] => [
  'ALTER TABLE mintmark_users DISABLE TRIGGER USER',
  copies,
  `UPDATE mintmark_provider_totals SET total = total + ${rows} WHERE kind = 'User'`,
  `UPDATE mintmark_account_totals SET total = total + ${rows}`,
  'DELETE FROM mintmark_user_values',
  'DELETE FROM mintmark_user_changes',
  ...values,
  'ALTER TABLE mintmark_users ENABLE TRIGGER USER',
]
