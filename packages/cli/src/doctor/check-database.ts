import { SchemaMismatchError, type SqlDialect } from '@mintmark/storage-sql'
import { pendingMigrations } from '@mintmark/storage-sql/command'

import type { Io } from '../io.ts'
import { checkMariadb } from './check-mariadb.ts'
import { fail, ok, warn, type Finding } from './target.ts'

/** Checks that the database has the schema of this version. */
export async function checkMigrations(dialect: SqlDialect): Promise<Finding> {
  try {
    const pending = await pendingMigrations({ dialect })
    if (pending.length === 0) return ok(migrationsCheck, 'The database has the schema of this version.')
    return fail(migrationsCheck, `Migrations are pending: ${pending.join(', ')}.`, 'Run mintmark migrate apply.')
  } catch (error) {
    if (!(error instanceof SchemaMismatchError)) throw error
    return fail(
      migrationsCheck,
      `The schema of the database differs from this version: ${error.migrations.join(', ')}.`,
      'Use the version of Mintmark that created it, or a later one.',
    )
  }
}

const migrationsCheck = 'storage.migrations'

/**
 * Checks the settings of the database server that Mintmark does not set itself. The check sees the settings of the database
 * user that doctor connects as, not the settings of a server's connection pool.
 */
export async function checkServer(dialect: SqlDialect, { clock }: Pick<Io, 'clock'>): Promise<readonly Finding[]> {
  const { name } = dialect.engine
  if (name === 'sqlite') return []
  const settings = name === 'mariadb' ? await checkMariadb(dialect) : [await checkPostgresWaits(dialect)]
  return [...settings, await checkDatabaseClock(dialect, clock)]
}

/** Checks the clock of the database, by which expired revocations are deleted and changes get their time. */
async function checkDatabaseClock(dialect: SqlDialect, clock: Io['clock']): Promise<Finding> {
  const before = clock()
  const [row] = await dialect.all(`SELECT ${dialect.engine.types.now} AS now`, [])
  const after = clock()
  const now = Number(row?.values[0])
  const skew = Math.max(0, before - 1 - now, now - after - 1)
  if (skew <= 2) return ok(clockCheck, 'The database’s clock and this machine’s clock agree.')
  return warn(
    clockCheck,
    `The database’s clock and this machine’s clock differ by ${Math.round(skew)} seconds.`,
    'Run a time service (NTP) on both machines: with a wrong clock, changes get a wrong time.',
  )
}

const clockCheck = 'storage.clock'

/**
 * Checks that PostgreSQL limits waits for locks and idle transactions. A server gives up on a statement after some
 * seconds, but without a limit its connection keeps waiting for a lock.
 */
async function checkPostgresWaits(dialect: SqlDialect): Promise<Finding> {
  const rows = await dialect.all(unlimitedWaits, [])
  const names = rows.map(({ values: [name] }) => String(name))
  if (names.length === 0) return ok(waitsCheck, 'PostgreSQL limits waits for locks and idle transactions.')
  return warn(
    waitsCheck,
    `PostgreSQL sets no ${names.join(' and no ')} for this database user, so a statement that waits for a lock keeps its connection.`,
    "Run ALTER ROLE … SET lock_timeout = '5s' and SET idle_in_transaction_session_timeout = '1min' for the database user of the servers.",
  )
}

const waitsCheck = 'storage.waits'

// `statement_timeout` limits waits for locks too. It also cancels long migrations, so it is accepted but not
// recommended.
const unlimitedWaits = `select name from pg_settings
  where setting = '0' and (
    name = 'idle_in_transaction_session_timeout'
    or name = 'lock_timeout' and current_setting('statement_timeout') = '0')
  order by name desc`
