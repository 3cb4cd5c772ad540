import { type SqlDialect, type SqlRow, type SqlStep, type SqlValue, UniqueViolationError } from '../dialect.ts'
import { toSqlRows } from '../row.ts'
import { sqlite } from '../sqlite/engine.ts'

/** The used part of `DurableObjectState['storage']`, of a Durable Object of Cloudflare Workers. */
interface DurableObjectStorage {
  readonly sql: {
    readonly exec: (
      statement: string,
      ...values: SqlValue[]
    ) => { readonly toArray: () => Readonly<Record<string, unknown>>[] }
  }
  /** Runs the closure in one transaction. An error rolls it back. */
  readonly transactionSync: <T>(closure: () => T) => T
}

/**
 * Creates a dialect for the SQLite database of a Durable Object of Cloudflare Workers: `state.storage` of a class in
 * `new_sqlite_classes`. The object runs in one place and executes one storage call at a time, so a code is redeemed only once,
 * wherever requests come from. It sends a response only after Cloudflare has confirmed its writes. `createSqlStorage` applies
 * pending migrations, because nothing else can write to the database. A statement has at most a hundred parameters, so
 * filters with more values fail.
 */
export function toDurableObjectDialect(storage: DurableObjectStorage): SqlDialect {
  const run = (statement: string, parameters: readonly SqlValue[]): readonly SqlRow[] =>
    toSqlRows(storage.sql.exec(statement, ...parameters).toArray())

  return {
    engine: sqlite,
    migrate: 'on-open',
    migrateCommand: 'npx wrangler deploy',
    all: async (statement, parameters) => convertErrors(() => run(statement, parameters)),
    transact: async (steps) => convertErrors(() => transact(steps)),
    // Calls are synchronous, so there is no queue.
    oneAtATime: (_, work) => work(),
    atomically: async (statements) =>
      convertErrors(() => storage.transactionSync(() => statements.forEach((statement) => run(statement, [])))),
    close: () => Promise.resolve(),
  }

  function transact(steps: readonly SqlStep[]): readonly SqlRow[] | undefined {
    try {
      return storage.transactionSync(() =>
        steps.reduce<readonly SqlRow[]>((_, step) => checkGuard(step, run(step.statement, step.parameters)), []),
      )
    } catch (error) {
      if (error === guardFailed) return undefined
      throw error
    }
  }
}

/** @throws guardFailed if the guard found no row. The error rolls the transaction back. */
function checkGuard({ role }: SqlStep, rows: readonly SqlRow[]): readonly SqlRow[] {
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

const guardFailed = new Error('A guard of the transaction found no row.')
