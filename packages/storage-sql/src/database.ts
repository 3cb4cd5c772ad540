import { DefaultQueryExecutor, QueryCreator, type QueryExecutorProvider } from 'kysely'
import type { SqlDialect, SqlEngine, SqlRow, SqlStep, SqlValue } from './dialect.ts'
import type { Statement } from './statement.ts'
import type { Tables } from './tables.ts'

/** What a store needs: a builder and a runner of statements, and the issuer whose rows it sees. */
export interface Database {
  readonly issuer: string
  readonly engine: SqlEngine
  /** Builds queries. It has no connection. */
  readonly query: QueryCreator<Tables> & QueryExecutorProvider
  /** Runs a statement, bound to the issuer and the values given. */
  readonly run: <Name extends string>(statement: Statement<Name>, values: ValuesOf<Name>) => Promise<readonly SqlRow[]>
  /** Runs a statement whose parameters are the issuer and then these values. */
  readonly runInOrder: (statement: Statement<string>, values: readonly SqlValue[]) => Promise<readonly SqlRow[]>
  /** A statement as a step of a transaction. */
  readonly step: <Name extends string>(
    statement: Statement<Name>,
    values: ValuesOf<Name>,
    role?: SqlStep['role'],
  ) => SqlStep
  readonly transact: SqlDialect['transact']
  readonly oneAtATime: SqlDialect['oneAtATime']
}

/** The parameters of a statement, except the issuer. */
type ValuesOf<Name extends string> = Readonly<Record<Exclude<Name, 'issuer'>, SqlValue>>

export function createDatabase(dialect: SqlDialect, issuer: string): Database {
  const { engine } = dialect
  return {
    issuer,
    engine,
    query: createQuery(engine),
    run: (statement, values) => dialect.all(statement.sql, statement.bind(values, issuer), statement.lifetime),
    runInOrder: ({ sql, lifetime }, values) => dialect.all(sql, [issuer, ...values], lifetime),
    step: (statement, values, role = 'step') => ({
      statement: statement.sql,
      parameters: statement.bind(values, issuer),
      role,
    }),
    transact: (steps) => dialect.transact(steps),
    oneAtATime: (name, work) => dialect.oneAtATime(JSON.stringify([issuer, name]), work),
  }
}

/**
 * Kysely's query builder without the class `Kysely`, which would pull in schema building and connections: a third of
 * its code.
 */
function createQuery({ kysely }: SqlEngine): Database['query'] {
  const executor = new DefaultQueryExecutor(kysely.createQueryCompiler(), kysely.createAdapter(), {
    provideConnection: () => {
      throw new Error('Statements are run by the dialect')
    },
  })
  return Object.assign(new QueryCreator<Tables>({ executor }), { getExecutor: () => executor })
}
