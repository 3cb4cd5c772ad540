import { toSqlRows, UniqueViolationError, type SqlDialect } from '@mintmark/storage-sql'
import { sqlite } from '@mintmark/storage-sql/sqlite'
import type { DurableObjectState } from './durable-object.ts'

/**
 * Creates a dialect for the database of a Durable Object. The object runs in one place and executes one storage call at
 * a time, so a code is redeemed only once, wherever requests come from. The object sends a response only after
 * Cloudflare has confirmed its writes.
 */
export function durableObjectSqlite(storage: DurableObjectState['storage']): SqlDialect {
  const run = (statement: string, parameters: Values): Rows =>
    toSqlRows(storage.sql.exec(statement, ...parameters).toArray())

  return {
    engine: sqlite,
    migrate: 'on-open',
    migrateCommand: 'a new deployment',
    all: async (statement, parameters) => convertErrors(() => run(statement, parameters)),
    transact: async (steps) => convertErrors(() => transact(steps)),
    // Calls are synchronous, so there is no queue.
    oneAtATime: (_, work) => work(),
    atomically: async (statements) =>
      convertErrors(() => storage.transactionSync(() => statements.forEach((statement) => run(statement, [])))),
    close: () => Promise.resolve(),
  }

  function transact(steps: readonly Step[]): Rows | undefined {
    try {
      return storage.transactionSync(() =>
        steps.reduce<Rows>((_, step) => checkGuard(step, run(step.statement, step.parameters)), []),
      )
    } catch (error) {
      if (error === guardFailed) return undefined
      throw error
    }
  }
}

/** @throws guardFailed if the guard found no row. The error rolls the transaction back. */
function checkGuard({ role }: Step, rows: Rows): Rows {
  if (role === 'guard' && rows.length === 0) throw guardFailed
  return rows
}

function convertErrors<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof Error && error.message.includes('SQLITE_CONSTRAINT_UNIQUE'))
      throw new UniqueViolationError(error.message, { cause: error })
    throw error
  }
}

type Rows = Awaited<ReturnType<SqlDialect['all']>>
type Values = Parameters<SqlDialect['all']>[1]
type Step = Parameters<SqlDialect['transact']>[0][number]

const guardFailed = new Error('A guard of the transaction found no row.')
