import type { SqlDialect } from '@mintmark/storage-sql'

import type { WrapDialect } from '../bench-storage.ts'
import type { SqlValue } from './sql-connection.ts'

/** A statement that Mintmark has run. */
export interface RecordedStatement {
  readonly sql: string
  readonly parameters: readonly SqlValue[]
  /** The names of the columns, in order; empty if the statement returned no row. */
  readonly columns: readonly string[]
  /** The first row as a list of values. */
  readonly row: readonly unknown[]
}

/** Records Mintmark's database statements. */
export interface StatementRecorder {
  readonly watch: WrapDialect
  /** Runs the work. Returns the statements that were run meanwhile, in order. */
  during(work: () => Promise<unknown>): Promise<readonly RecordedStatement[]>
}

export function createStatementRecorder(): StatementRecorder {
  let recorded: RecordedStatement[] = []

  const watch = (dialect: SqlDialect): SqlDialect => ({
    ...dialect,
    async all(sql, parameters, lifetime) {
      const rows = await dialect.all(sql, parameters, lifetime)
      const [first] = rows
      recorded.push({ sql, parameters, columns: [...(first?.indexByColumn.keys() ?? [])], row: first?.values ?? [] })
      return rows
    },
  })

  return {
    watch,
    during: async (work) => {
      recorded = []
      await work()
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
