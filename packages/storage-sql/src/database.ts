import {
  DefaultQueryExecutor,
  QueryCreator,
  type QueryExecutorProvider,
  type Compilable,
  type RawBuilder,
} from 'kysely'
import type { SqlDialect, SqlEngine, SqlQueryOptions, SqlRow, SqlStep, SqlValue, StatementLifetime } from './dialect.ts'
import type { Tables } from './tables.ts'

/** What a store needs: a builder and a runner of statements, and the issuer whose rows it sees. */
export interface Database {
  readonly issuer: string
  readonly engine: SqlEngine
  /** Builds queries. It has no connection. */
  readonly query: QueryCreator<Tables> & QueryExecutorProvider
  /** Runs a statement, bound to the issuer and the values given. */
  readonly run: RunStatement
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
  readonly atomically: SqlDialect['atomically']
}

/** @param signal cancels a query whose caller has left. */
type RunStatement = <Name extends string>(
  statement: Statement<Name>,
  values: ValuesOf<Name>,
  signal?: AbortSignal,
) => Promise<readonly SqlRow[]>

/** The parameters of a statement, except the issuer. */
type ValuesOf<Name extends string> = Readonly<Record<Exclude<Name, 'issuer'>, SqlValue>>

export function createDatabase(dialect: SqlDialect, issuer: string): Database {
  const { engine } = dialect
  return {
    issuer,
    engine,
    query: createQuery(engine),
    run: (statement, values, signal) => {
      const { sql, lifetime } = statement
      const bound = statement.bind(values, issuer)
      if (lifetime === 'lasting') return dialect.all(sql, bound, signal === undefined ? lasting : { lifetime, signal })
      const provider = (values as Readonly<Record<string, SqlValue>>)['provider_id'] ?? null
      return dialect.all(sql, bound, { lifetime, signal, owner: JSON.stringify([issuer, provider]) })
    },
    runInOrder: ({ sql, lifetime }, values) =>
      dialect.all(sql, [issuer, ...values], lifetime === 'lasting' ? lasting : { lifetime }),
    step: (statement, values, role = 'step') => ({
      statement: statement.sql,
      parameters: statement.bind(values, issuer),
      role,
    }),
    transact: (steps) => dialect.transact(steps),
    atomically: (statements) => dialect.atomically(statements),
    oneAtATime: (name, work) => dialect.oneAtATime(JSON.stringify([issuer, name]), work),
  }
}

/** Most statements run with these, so that no object is made for each. */
const lasting: SqlQueryOptions = { lifetime: 'lasting' }

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

/** SQL text with named parameters. It is compiled once and run with other values each time. */
export interface Statement<Name extends string> {
  readonly sql: string
  readonly lifetime: StatementLifetime
  /** The values of the placeholders. The parameter `issuer` is given by itself. */
  readonly bind: (values: Readonly<Record<Exclude<Name, 'issuer'>, SqlValue>>, issuer: string) => readonly SqlValue[]
}

/** A placeholder for a value that is known when the statement runs. */
export type Parameter<Name extends string> = (name: Name) => SqlValue

/**
 * Defines a statement. Kysely compiles it on first use, once for each storage: a server that starts needs a tenth of
 * them.
 */
export function compileStatement<Name extends string>(
  define: (parameter: Parameter<Name>) => Compilable,
  lifetime: StatementLifetime = 'lasting',
): Statement<Name> {
  let compiled: CompiledStatement | undefined
  const statement = (): CompiledStatement => (compiled ??= compile(define(named)))

  return {
    get sql() {
      return statement().sql
    },
    lifetime,
    bind(values, issuer) {
      // Every parameter but the issuer is among the values: the types say so.
      const given = values as Readonly<Record<string, SqlValue>>
      return statement().slots.map((slot) => {
        if (!(slot instanceof NamedParameter)) return slot
        return slot.parameter === 'issuer' ? issuer : (given[slot.parameter] as SqlValue)
      })
    },
  }
}

/** The same for a statement that is written as SQL. */
export const compileSql = <Name extends string>(
  query: QueryExecutorProvider,
  define: (parameter: Parameter<Name>) => RawBuilder<unknown>,
  lifetime?: StatementLifetime,
): Statement<Name> =>
  compileStatement((parameter: Parameter<Name>) => {
    const written = define(parameter)
    return { compile: () => written.compile(query) }
  }, lifetime)

/** One parameter for each column, named as the column. */
export function parameters<Column extends string>(
  parameter: Parameter<Column>,
  columns: readonly Column[],
): Readonly<Record<Column, SqlValue>> {
  // The keys are the columns given.
  return Object.fromEntries(columns.map((column) => [column, parameter(column)])) as Record<Column, SqlValue>
}

interface CompiledStatement {
  readonly sql: string
  /** The value of each placeholder, or the name by which it is bound. */
  readonly slots: readonly (SqlValue | NamedParameter)[]
}

function compile(query: Compilable): CompiledStatement {
  const { sql, parameters } = query.compile()
  return { sql, slots: parameters.map((value) => (value instanceof NamedParameter ? value : (value as SqlValue))) }
}

/** Kysely passes parameter values through to the compiled query untouched, and so it passes this. */
class NamedParameter {
  readonly parameter: string

  constructor(parameter: string) {
    this.parameter = parameter
  }
}

const named = (name: string): SqlValue => new NamedParameter(name) as unknown as SqlValue
