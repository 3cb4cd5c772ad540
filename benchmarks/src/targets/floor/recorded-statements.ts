import type { SqlDialect } from '@mintmark/storage-sql'

import type { Watch } from '../bench-storage.ts'
import type { SqlValue } from './sql-connection.ts'

/** A statement as Mintmark ran it. */
export interface RecordedStatement {
  readonly sql: string
  readonly parameters: readonly SqlValue[]
  /** The names of its columns in order; empty if it returned no row. */
  readonly columns: readonly string[]
  /** Its first row as a list of values. */
  readonly row: readonly unknown[]
}

/** Records Mintmark's database statements. */
export interface StatementRecorder {
  readonly watch: Watch
  /** The statements that ran during the work, in order. */
  during(work: () => Promise<unknown>): Promise<readonly RecordedStatement[]>
}

export function createStatementRecorder(): StatementRecorder {
  let recorded: RecordedStatement[] = []

  const watch = (dialect: SqlDialect): SqlDialect => ({
    ...dialect,
    async all(sql, parameters, lifetime) {
      const rows = await dialect.all(sql, parameters, lifetime)
      const [first] = rows
      recorded.push({ sql, parameters, columns: [...(first?.places.keys() ?? [])], row: first?.values ?? [] })
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

/** The first statement that matches. @throws Error when there is none. */
export function writtenLike(pattern: RegExp, recorded: readonly RecordedStatement[]): RecordedStatement {
  const found = recorded.find(({ sql }) => pattern.test(sql))
  if (found === undefined)
    throw new Error(`No statement is written like ${pattern.source}: ${recorded.map(({ sql }) => sql).join('; ')}`)
  return found
}
