import { AsyncLocalStorage } from 'node:async_hooks'

import type { SqlDialect } from '@mintmark/storage-sql'

import type { WrapDialect } from '../bench-storage.ts'
import type { SqlValue } from './sql-connection.ts'

/** A statement that Mintmark has run. */
export interface RecordedStatement {
  readonly sql: string
  readonly parameters: readonly SqlValue[]
  /** The names of the columns, in order; empty if the statement returned no row, or is a step of a transaction. */
  readonly columns: readonly string[]
  /** The first row as a list of values. */
  readonly row: readonly unknown[]
}

/** Records Mintmark's database statements. */
export interface StatementRecorder {
  readonly watch: WrapDialect
  /** Runs the work. Returns its statements, in order. Statements of other work that runs at the same time are left out. */
  during(work: () => Promise<unknown>): Promise<readonly RecordedStatement[]>
}

export function createStatementRecorder(): StatementRecorder {
  const recordings = new AsyncLocalStorage<RecordedStatement[]>()

  const watch = (dialect: SqlDialect): SqlDialect => ({
    ...dialect,
    async all(sql, parameters, lifetime) {
      const rows = await dialect.all(sql, parameters, lifetime)
      const [first] = rows
      recordings
        .getStore()
        ?.push({ sql, parameters, columns: [...(first?.indexByColumn.keys() ?? [])], row: first?.values ?? [] })
      return rows
    },
    async transact(steps) {
      for (const { statement, parameters } of steps)
        recordings.getStore()?.push({ sql: statement, parameters, columns: [], row: [] })
      return dialect.transact(steps)
    },
  })

  return {
    watch,
    during: async (work) => {
      const recorded: RecordedStatement[] = []
      await recordings.run(recorded, work)
      return recorded
    },
  }
}

/** Returns the first statement that matches. @throws Error if no statement matches. */
export function findStatement(pattern: RegExp, recorded: readonly RecordedStatement[]): RecordedStatement {
  const found = recorded.find(({ sql }) => pattern.test(sql))
  if (found === undefined)
    throw new Error(`No statement matches ${pattern.source}: ${recorded.map(({ sql }) => sql).join('; ')}`)
  return found
}
