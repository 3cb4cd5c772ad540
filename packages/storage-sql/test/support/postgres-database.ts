import type { AdminStorage } from '@mintmark/storage-interface'
import { randomBytes } from 'node:crypto'
import type { StorageUnderTest } from '@mintmark/storage-interface/contract'
import { createSqlStorage, migrate, type SqlDialect } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { Client, Pool, type PoolConfig } from 'pg'
import { alternatingStorages } from './alternating-storages.ts'

/** An empty schema. Its name is also the application name of its connections, so that tests can tell theirs apart. */
export interface TestDatabase {
  /** Connections to this address find and create tables in the schema. */
  readonly url: string
  /** The connection option that selects the schema, for pools with further options. */
  readonly options: string
  /** Creates a pool, which is ended when the database is removed. */
  pool(settings?: PoolConfig): Pool
  /** Ends the pools and removes all rows. The tables and the list of applied migrations stay. */
  empty(): Promise<void>
  /** Ends the pools and removes the schema. */
  remove(): Promise<void>
}

export async function makeDatabase(address: string): Promise<TestDatabase> {
  const schema = `test_${randomBytes(8).toString('hex')}`
  const options = `-c search_path=${schema}`
  const pools: Pool[] = []
  const endPools = async () => void (await Promise.all(pools.splice(0).map(async (pool) => pool.ended || pool.end())))
  await runAlone(address, `CREATE SCHEMA ${schema}`)

  return {
    url: `${address}?options=${encodeURIComponent(options)}&application_name=${schema}`,
    options,
    pool: (settings) => {
      const pool = new Pool({ connectionString: address, options, application_name: schema, max: 5, ...settings })
      pools.push(pool)
      return pool
    },
    empty: async () => {
      await endPools()
      await runAlone(address, truncateFilled(schema))
    },
    remove: async () => {
      await endPools()
      await runAlone(address, `DROP SCHEMA ${schema} CASCADE`)
    },
  }
}

/** Leaves out empty tables, because replacing the files of a table and its indexes takes time. */
const truncateFilled = (schema: string): string => `DO $$
  DECLARE filled text := (
    SELECT string_agg(oid::regclass::text, ', ') FROM pg_class
    WHERE relnamespace = '${schema}'::regnamespace AND relkind = 'r' AND relname <> 'mintmark_migrations'
      AND pg_relation_size(oid) > 0);
  BEGIN
    IF filled IS NOT NULL THEN EXECUTE 'TRUNCATE ' || filled || ' CASCADE'; END IF;
  END $$`

/**
 * Removes all rows while the connections of the pool stay open. Deleting few rows takes a tenth of the time of a truncation.
 * Neither triggers nor references between tables take part.
 */
export async function deleteRows(pool: Pool): Promise<void> {
  await pool.query(`DO $$
    DECLARE filled record;
    BEGIN
      PERFORM set_config('session_replication_role', 'replica', true);
      FOR filled IN
        SELECT oid::regclass AS name, pg_relation_size(oid) AS bytes FROM pg_class
        WHERE relnamespace = current_schema::regnamespace AND relkind = 'r' AND relname <> 'mintmark_migrations'
          AND pg_relation_size(oid) > 0
      LOOP
        EXECUTE CASE WHEN filled.bytes > 65536 THEN 'TRUNCATE ' || filled.name || ' CASCADE' ELSE 'DELETE FROM ' || filled.name END;
      END LOOP;
    END $$`)
}

/** Creates a separate database that orders strings as in English, not by their bytes. */
export async function makeEnglishDatabase(address: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`
  await runAlone(
    address,
    `CREATE DATABASE ${name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C'`,
  )
  const own = new URL(address)
  own.pathname = name
  const database = await makeDatabase(own.href)
  return {
    ...database,
    remove: async () => {
      await database.remove()
      await runAlone(address, `DROP DATABASE ${name}`)
    },
  }
}

/**
 * Makes stores one after the other in one database, each of them empty when it is made. Storages alternate between two
 * pools, as those of two servers would.
 */
export async function postgresUnderTest(
  database: Pick<TestDatabase, 'pool'>,
  watch: (dialect: SqlDialect) => SqlDialect = (dialect) => dialect,
): Promise<() => Promise<StorageUnderTest<AdminStorage>>> {
  const pools = [database.pool(), database.pool()] as const
  const dialects = [watch(toPostgresDialect(pools[0])), watch(toPostgresDialect(pools[1]))] as const
  await migrate({ dialect: toPostgresDialect(pools[0]) })
  const open = alternatingStorages(dialects, createSqlStorage)

  return async () => {
    await deleteRows(pools[0])
    return { open, close: async () => {} }
  }
}

/** Runs one statement on a separate connection. */
async function runAlone(connectionString: string, statement: string): Promise<void> {
  const client = new Client({ connectionString })
  await client.connect()
  await client.query(statement)
  await client.end()
}
