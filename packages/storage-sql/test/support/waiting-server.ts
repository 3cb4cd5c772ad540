import { randomUUID } from 'node:crypto'
import type { AdminStorage } from '@mintmark/storage-interface'
import { createSqlStorage } from '@mintmark/storage-sql'
import { toMariadbDialect } from '@mintmark/storage-sql/mariadb'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import type { Pool as MariadbPool, RowDataPacket } from 'mysql2'
import type { Pool as PostgresPool } from 'pg'
import { onTestFinished } from 'vitest'
import { aMigratedMariadbDatabase } from './mariadb-of-the-run.ts'
import { aMigratedDatabase } from './postgres-of-the-run.ts'

/** A server whose statements wait for a transaction that the test keeps open. */
export interface WaitingServer {
  readonly storage: AdminStorage
  /** Locks the total of users, for which a trigger of each removal waits. Returns a function that commits. */
  readonly lockTotal: () => Promise<() => Promise<void>>
  /** Waits until a number of statements wait for other transactions. */
  readonly untilStatementsWait: (count: number) => Promise<void>
}

const issuer = 'https://issuer.example'

export async function aPostgresServer(): Promise<WaitingServer & { readonly pool: PostgresPool }> {
  const database = await aMigratedDatabase()
  onTestFinished(() => database.remove())
  // `untilStatementsWait` counts only the statements of this test.
  const pool = database.pool({ application_name: randomUUID() })
  return {
    storage: await createSqlStorage({ dialect: toPostgresDialect(pool), issuer }),
    pool,
    async lockTotal() {
      const other = await pool.connect()
      await other.query('BEGIN')
      await other.query('SELECT FROM mintmark_user_totals FOR UPDATE')
      return async () => {
        await other.query('COMMIT')
        other.release()
      }
    },
    async untilStatementsWait(count) {
      const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = current_setting('application_name')`
      while ((await pool.query(waiting)).rows.length < count);
    },
  }
}

/** Two servers on one database. */
export async function aMariadbServer(): Promise<
  WaitingServer & { readonly other: AdminStorage; readonly pool: MariadbPool }
> {
  const { pools, remove } = await aMigratedMariadbDatabase()
  onTestFinished(remove)
  const [pool] = pools
  const [storage, other] = await Promise.all([
    createSqlStorage({ dialect: toMariadbDialect(pools[0]), issuer }),
    createSqlStorage({ dialect: toMariadbDialect(pools[1]), issuer }),
  ])
  return {
    storage,
    other,
    pool,
    async lockTotal() {
      const transaction = await pool.promise().getConnection()
      await transaction.query('START TRANSACTION')
      await transaction.query('SELECT total FROM mintmark_user_totals FOR UPDATE')
      return async () => {
        await transaction.query('COMMIT')
        transaction.release()
      }
    },
    untilStatementsWait: (count) => untilMariadbWaits(pool, count),
  }
}

/** InnoDB renews its table of transactions only after nobody has read it for a tenth of a second. */
async function untilMariadbWaits(pool: MariadbPool, count: number): Promise<void> {
  const waiting = `SELECT count(*) AS waiting FROM information_schema.innodb_trx AS waits
    JOIN information_schema.processlist AS process ON process.id = waits.trx_mysql_thread_id
    WHERE waits.trx_state = 'LOCK WAIT' AND process.db = database()`
  for (;;) {
    await pool.promise().query('SELECT sleep(0.11)')
    const [rows] = await pool.promise().query<RowDataPacket[]>(waiting)
    if (Number(rows[0]?.['waiting']) >= count) return
  }
}
