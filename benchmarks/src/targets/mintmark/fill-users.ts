import type { SqlDialect } from '@mintmark/storage-sql'

import { multiplyRow, type MultipliedRow } from './multiply-row.ts'

/** Inserts copies of a user by one statement, including the data that triggers maintain. */
export async function fillUsers(dialect: SqlDialect, copies: Omit<MultipliedRow, 'table'>): Promise<void> {
  const statement = await multiplyRow(dialect, { ...copies, table: 'mintmark_users' })
  await dialect.atomically(dialect.engine.name === 'postgres' ? withoutTriggers(statement, copies.rows) : [statement])
}

/** The data of the triggers is written at once: a million updates of one total in one transaction would take hours. */
const withoutTriggers = (copies: string, rows: number): readonly string[] => [
  'ALTER TABLE mintmark_users DISABLE TRIGGER USER',
  copies,
  `UPDATE mintmark_provider_totals SET total = total + ${rows} WHERE kind = 'User'`,
  `UPDATE mintmark_account_totals SET total = total + ${rows}`,
  `INSERT INTO mintmark_user_emails (issuer, provider_id, value, user_id)
   SELECT issuer, provider_id, email #>> '{}', user_id FROM mintmark_users, jsonb_path_query(comparable, '$.emails[*].value') AS email
   ON CONFLICT DO NOTHING`,
  'ALTER TABLE mintmark_users ENABLE TRIGGER USER',
]
