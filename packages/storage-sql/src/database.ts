import { DummyDriver, Kysely } from 'kysely'
import type { SqlDialect, SqlEngine, SqlRow, SqlValue } from './dialect.ts'
import type { Statement } from './statement.ts'
import type { Tables } from './tables.ts'

/** What a store is made of: a way to build statements, a way to run them, and the issuer whose rows it sees. */
export interface Database {
  readonly issuer: string
  readonly engine: SqlEngine
  /** Builds queries; it has no connection. */
  readonly query: Kysely<Tables>
  /** Runs a statement for the issuer. */
  readonly run: <Name extends string>(
    statement: Statement<Name>,
    values: Readonly<Record<Exclude<Name, 'issuer'>, SqlValue>>,
  ) => Promise<readonly SqlRow[]>
}

export function createDatabase(dialect: SqlDialect, issuer: string): Database {
  const { engine } = dialect

  return {
    issuer,
    engine,
    query: new Kysely<Tables>({
      dialect: {
        ...engine.kysely,
        createDriver: () => new DummyDriver(),
        createIntrospector: () => {
          throw new Error('The schema is known from the migrations')
        },
      },
    }),
    run: <Name extends string>(
      statement: Statement<Name>,
      values: Readonly<Record<Exclude<Name, 'issuer'>, SqlValue>>,
    ) => {
      const all: Readonly<Record<string, SqlValue>> = { ...values, issuer }
      return dialect.all(statement.sql, statement.bind(all))
    },
  }
}
