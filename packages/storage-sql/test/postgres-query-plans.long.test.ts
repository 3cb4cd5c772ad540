import { adminLaws } from '@mintmark/storage-interface/contract'
import { migrate } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import type { Pool } from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { postgresUnderTest, type TestDatabase } from './support/postgres-database.ts'
import { aDatabase } from './support/postgres-of-the-run.ts'
import { collectStatements } from './support/collect-statements.ts'
import { isByIndex, scansOf, type PlanNode } from './support/postgres-plan.ts'

// The laws call every method with every outcome, and so run every statement that the storage ever runs.
const statements = new Set<string>()
let database: TestDatabase
let pool: Pool

beforeAll(async () => {
  database = await aDatabase()
  const makeStore = await postgresUnderTest(database, collectStatements(statements))
  for (const law of adminLaws) await law.run(makeStore)
  // A single connection, which plans each statement as if it had been prepared long ago.
  pool = database.pool({ max: 1 })
  await pool.query('SET plan_cache_mode = force_generic_plan')
  await fillTables()
  // Filling takes ten seconds on an idle machine. The limit is high, because the time is not asserted.
}, 300_000)
afterAll(() => database.remove())

test('PostgreSQL finds every row of a filled table by an index, and by more columns than the issuer', async () => {
  const wasteful = []
  for (const statement of statements) {
    const bad = scansOf(await planOf(statement, pool)).filter((scan) => !isByIndex(scan, statement))
    if (bad.length > 0) wasteful.push({ statement, bad })
  }

  expect(wasteful).toEqual([])
  expect(statements.size).toBeGreaterThan(40)
})

test('PostgreSQL uses the same indexes for new tables as for full ones, because connections keep their plans', async () => {
  const fresh = await aDatabase()
  onTestFinished(() => fresh.remove())
  const onFresh = fresh.pool({ max: 1 })
  await migrate({ dialect: toPostgresDialect(onFresh) })
  await onFresh.query('SET plan_cache_mode = force_generic_plan')

  const others = []
  for (const statement of statements) {
    const [ofEmpty, ofFull] = [indexesOf(await planOf(statement, onFresh)), indexesOf(await planOf(statement, pool))]
    // All keys and indexed attributes of an issuer are read, so it does not matter by which index. A count of deliveries
    // reads up to 10,000 rows, and is run by hand.
    if (ofEmpty.join() !== ofFull.join() && !/mintmark_(?:signing_keys|indexed_attributes)| as oldest$/.test(statement))
      others.push({ statement, ofEmpty, ofFull })
  }

  expect(others).toEqual([])
})

const indexesOf = (plan: PlanNode): readonly string[] => scansOf(plan).flatMap((scan) => scan['Index Name'] ?? [])

async function planOf(statement: string, pool: Pool): Promise<PlanNode> {
  await pool.query(`PREPARE looked_at AS ${statement}`)
  const { rows: found } = await pool.query<{ count: number }>(
    `SELECT cardinality(parameter_types) AS count FROM pg_prepared_statements WHERE name = 'looked_at'`,
  )
  const values = Array<string>(found[0]?.count ?? 0).fill('NULL')
  const { rows } = await pool.query<{ 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }>(
    `EXPLAIN (FORMAT JSON) EXECUTE looked_at${values.length > 0 ? `(${values.join(', ')})` : ''}`,
  )
  await pool.query('DEALLOCATE looked_at')
  const plan = rows[0]?.['QUERY PLAN'][0].Plan
  if (plan === undefined) throw new Error(`No plan for ${statement}`)
  return plan
}

const oneRowPerIssuer: ReadonlySet<string> = new Set([
  'mintmark_user_totals',
  'mintmark_revocation_positions',
  'mintmark_change_positions',
])

/** Inserts 20,000 rows of 20 issuers into each table: enough to make a plan that reads all of them worse. */
async function fillTables(): Promise<void> {
  const { rows: columns } = await pool.query<{ table: string; name: string; type: string }>(
    `SELECT table_name AS "table", column_name AS name, data_type AS type FROM information_schema.columns
     WHERE table_schema = current_schema AND table_name <> 'mintmark_migrations'`,
  )
  // Disables triggers: the tables that they maintain are filled like the others.
  await pool.query('SET session_replication_role = replica')
  for (const table of new Set(columns.map((column) => column.table))) {
    const own = columns.filter((column) => column.table === table)
    const values = own.map(({ name, type }) => {
      // Some tables have one row per issuer.
      if (name === 'issuer') return `'https://issuer-' || ${oneRowPerIssuer.has(table) ? 'n' : 'n % 20'}`
      // A provider has many users, and an issuer has a few providers.
      if (name === 'provider_id' && table !== 'mintmark_identity_providers') return `'provider-' || n % 3`
      // Most deliveries have been delivered.
      if (name === 'state') return `CASE n % 20 WHEN 1 THEN 'pending' WHEN 2 THEN 'dead' ELSE 'delivered' END`
      if (name === 'channel') return `'logout'`
      if (name === 'resource_type') return `'type-' || n % 2`
      if (name === 'revoked_at' || name === 'removed_at') return 'CASE WHEN n % 10 = 0 THEN n END'
      // It refers to a session, like the columns named `session_id`.
      if (name === 'bound_session_id') return `'session_id-' || n`
      if (type === 'jsonb') return `'{}'::jsonb`
      return type === 'boolean' ? 'true' : type === 'bigint' ? 'n' : `'${name}-' || n`
    })
    await pool.query(
      `INSERT INTO ${table} (${own.map(({ name }) => name).join(', ')})
       SELECT ${values.join(', ')} FROM generate_series(1, 20000) AS n`,
    )
    // What autovacuum would do later, at a time that depends on the machine.
    await pool.query(`VACUUM ANALYZE ${table}`)
  }
}
