import type { AdminStorage } from '@mintmark/storage-interface'
import { createSqlStorage, migrate, type SqlDialect } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import type { SqlValue } from '../../src/dialect.ts'
import { fillProvider } from './fill-provider.ts'
import { aDatabase } from './postgres-of-the-run.ts'
import { isByIndex, partsOf, scansOf, type PlanNode } from './postgres-plan.ts'
import { planOf, readsTable } from './sqlite-plan.ts'

/** A statement as it was run. */
interface RanStatement {
  readonly statement: string
  readonly parameters: readonly SqlValue[]
}

/** A database with a number of users of one provider. */
export interface FilledDatabase {
  readonly storage: AdminStorage
  /** Returns the statements that were run since the last call. */
  takeStatements(): readonly RanStatement[]
  /** Returns the parts of a statement's plan that read a whole table, or all rows of a provider in it. */
  scansOf(ran: RanStatement): Promise<readonly unknown[]>
  /** Returns how many times a statement sorts rows to find the rows of its page. The page itself is always sorted too. */
  sortsForPage(ran: RanStatement): Promise<number>
  /** Returns whether a statement starts to read an index at the position after which the page begins. */
  startsAtPosition(ran: RanStatement): Promise<boolean>
  close(): Promise<void>
}

// Neither database has statistics, as on the day of its first import.

export async function filledSqlite(rows: number): Promise<FilledDatabase> {
  const dialect = openSqliteDialect(':memory:', { migrate: 'on-open' })
  return {
    ...(await open(dialect, rows)),
    scansOf: async ({ statement }) => (await planOf(dialect, statement)).filter(readsTable),
    sortsForPage: async ({ statement }) => {
      const plan = await planOf(dialect, statement)
      return plan.slice(0, plan.indexOf('SCAN page')).filter((step) => step === 'USE TEMP B-TREE FOR ORDER BY').length
    },
    startsAtPosition: async ({ statement }) => {
      const plan = await planOf(dialect, statement)
      return plan.slice(0, plan.indexOf('SCAN page')).some((step) => /\((\w+,)*(user_id|created_at)\)[<>]/.test(step))
    },
    close: () => dialect.close(),
  }
}

export async function filledPostgres(rows: number): Promise<FilledDatabase> {
  const database = await aDatabase()
  const pool = database.pool()
  const dialect = toPostgresDialect(pool, { timeoutMilliseconds: 60_000 })
  await migrate({ dialect })
  // Otherwise the database would have statistics after a time that depends on the machine.
  await pool.query(`DO $$ DECLARE name regclass; BEGIN
    FOR name IN SELECT oid FROM pg_class WHERE relkind = 'r' AND relname LIKE 'mintmark%' LOOP
      EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = false)', name);
    END LOOP; END $$`)
  const filled = await open(dialect, rows)
  async function planned({ statement, parameters }: RanStatement): Promise<PlanNode> {
    const { rows: answer } = await pool.query<{ 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }>(
      `EXPLAIN (FORMAT JSON) ${statement}`,
      [...parameters],
    )
    const plan = answer[0]?.['QUERY PLAN'][0].Plan
    if (plan === undefined) throw new Error(`No plan for ${statement}`)
    return plan
  }
  const pageOf = async (ran: RanStatement): Promise<readonly PlanNode[]> =>
    partsOf(await planned(ran))
      .filter((part) => part['Subplan Name'] === 'CTE page')
      .flatMap(partsOf)
  return {
    ...filled,
    scansOf: async (ran) => scansOf(await planned(ran)).filter((scan) => !isByIndex(scan, ran.statement)),
    sortsForPage: async (ran) => (await pageOf(ran)).filter((part) => part['Node Type'].endsWith('Sort')).length,
    startsAtPosition: async (ran) => (await pageOf(ran)).some((part) => part['Index Cond']?.includes('ROW(') ?? false),
    close: () => database.remove(),
  }
}

async function open(dialect: SqlDialect, rows: number): Promise<Pick<FilledDatabase, 'storage' | 'takeStatements'>> {
  const issuer = 'https://issuer.example'
  let ran: RanStatement[] = []
  const watched: SqlDialect = {
    ...dialect,
    all: (statement, parameters, lifetime) => {
      ran.push({ statement, parameters })
      return dialect.all(statement, parameters, lifetime)
    },
    transact: (steps) => {
      ran.push(...steps)
      return dialect.transact(steps)
    },
  }
  const storage = await createSqlStorage({ dialect: watched, issuer })
  await fillProvider(dialect, { issuer, rows })
  return {
    storage,
    takeStatements: () => {
      const since = ran
      ran = []
      return since
    },
  }
}
