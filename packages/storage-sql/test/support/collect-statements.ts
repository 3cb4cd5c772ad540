import type { SqlDialect } from '@mintmark/storage-sql'

/** Wraps a dialect, and adds the text of each statement on Mintmark's tables to the set before it runs. */
export const collectStatements =
  (statements: Set<string>) =>
  (dialect: SqlDialect): SqlDialect => {
    const collect = (statement: string): void => {
      if (/mintmark_(?!migrations)/.test(statement)) statements.add(statement)
    }
    return {
      ...dialect,
      all: (statement, parameters, options) => {
        // Statements for filters are planned for their values each time; provider-plans.test.ts examines them.
        if (options?.lifetime !== 'passing') collect(statement)
        return dialect.all(statement, parameters, options)
      },
      transact: (steps) => {
        for (const { statement } of steps) collect(statement)
        return dialect.transact(steps)
      },
    }
  }
