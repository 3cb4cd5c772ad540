import type { SqlDialect } from '@mintmark/storage-sql'

import { ok, warn, type Finding } from './finding.ts'

/**
 * Whether PostgreSQL ends a wait that nobody waits for any more: a server gives up a statement after seconds, and the connection
 * that waits for a lock is then still taken. It is what holds for the user of the address; of a server's pool nothing is seen.
 */
export async function checkWaits(dialect: SqlDialect): Promise<readonly Finding[]> {
  if (dialect.engine.name !== 'postgres') return []
  const rows = await dialect.all(endless, [])
  const names = rows.map(({ values: [name] }) => String(name))
  if (names.length === 0) return [ok(check, 'PostgreSQL ends waits for locks, and transactions that stand still.')]
  return [
    warn(
      check,
      `For the user of this address PostgreSQL sets no ${names.join(' and no ')}: who waits for a lock keeps a connection.`,
      "ALTER ROLE … SET lock_timeout = '5s', and SET idle_in_transaction_session_timeout = '1min', for the user of the servers.",
    ),
  ]
}

const check = 'storage.waits'

// `statement_timeout` ends waits for locks too, and so migrations that take long: it is enough, and nothing that every user needs.
const endless = `select name from pg_settings
  where setting = '0' and (
    name = 'idle_in_transaction_session_timeout'
    or name = 'lock_timeout' and current_setting('statement_timeout') = '0')
  order by name desc`
