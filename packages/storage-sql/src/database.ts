import {
  DefaultQueryExecutor,
  QueryCreator,
  type QueryExecutorProvider,
  type Compilable,
  type RawBuilder,
} from 'kysely'
import type { SqlDialect, SqlEngine, SqlQueryOptions, SqlRow, SqlStep, SqlValue, StatementLifetime } from './dialect.ts'
import type { Tables } from './tables.ts'

/** What a store needs: a query builder, functions that run statements, and the issuer whose rows it reads and writes. */
export interface Database {
  readonly issuer: string
  readonly engine: SqlEngine
  /** Builds queries. It has no connection. */
  readonly query: QueryCreator<Tables> & QueryExecutorProvider
  /** Binds a statement to the issuer and the values, and runs it. */
  readonly run: RunStatement
  /** Runs a statement whose parameters are the issuer and then these values. */
  readonly runInOrder: (
    statement: Statement<string>,
    values: readonly SqlValue[],
    options?: Pick<SqlQueryOptions, 'ownKey'>,
  ) => Promise<readonly SqlRow[]>
  /** Returns a statement as a step of a transaction. */
  readonly step: <Name extends string>(
    statement: Statement<Name>,
    values: ValuesOf<Name>,
    role?: SqlStep['role'],
  ) => SqlStep
  readonly transact: SqlDialect['transact']
  readonly oneAtATime: SqlDialect['oneAtATime']
  readonly atomically: SqlDialect['atomically']
}

type RunStatement = <Name extends string>(
  statement: Statement<Name>,
  values: ValuesOf<Name>,
  options?: Pick<SqlQueryOptions, 'signal' | 'maxBytes' | 'ownKey'>,
) => Promise<readonly SqlRow[]>

/** The parameters of a statement, except the issuer. */
type ValuesOf<Name extends string> = Readonly<Record<Exclude<Name, 'issuer'>, SqlValue>>

export function createDatabase(dialect: SqlDialect, issuer: string): Database {
  const { engine } = dialect
  return {
    issuer,
    engine,
    query: createQuery(engine),
    run: (statement, values, options) => {
      const { sql, lifetime } = statement
      const bound = statement.bind(values, issuer)
      if (lifetime === 'lasting')
        return dialect.all(sql, bound, options === undefined ? optionsOf(statement) : { ...options, lifetime })
      const provider = (values as Readonly<Record<string, SqlValue>>)['provider_id'] ?? null
      return dialect.all(sql, bound, { ...options, lifetime, owner: JSON.stringify([issuer, provider]) })
    },
    runInOrder: ({ sql, lifetime }, values, options) =>
      dialect.all(
        sql,
        [issuer, ...values],
        lifetime === 'lasting' && options === undefined ? lasting : { ...options, lifetime },
      ),
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

/** The options of most statements, shared so that a call creates no object. */
const lasting: SqlQueryOptions = { lifetime: 'lasting' }
const lookup: SqlQueryOptions = { lifetime: 'lasting', isLookup: true }

const optionsOf = ({ isLookup }: Pick<Statement<string>, 'isLookup'>): SqlQueryOptions => (isLookup ? lookup : lasting)

/**
 * Creates Kysely's query builder without the class `Kysely`. Importing that class would add schema building and
 * connections to a bundle, which are a third of Kysely's code.
 */
function createQuery({ kysely }: SqlEngine): Database['query'] {
  const executor = new DefaultQueryExecutor(kysely.createQueryCompiler(), kysely.createAdapter(), {
    provideConnection: () => {
      throw new Error('The dialect runs statements, not Kysely')
    },
  })
  return Object.assign(new QueryCreator<Tables>({ executor }), { getExecutor: () => executor })
}

/** SQL text with named parameters. It is compiled once and run with other values each time. */
export interface Statement<Name extends string> {
  readonly sql: string
  readonly lifetime: StatementLifetime
  readonly isLookup: boolean
  /** Returns the values of the placeholders, in order. */
  readonly bind: (values: Readonly<Record<Exclude<Name, 'issuer'>, SqlValue>>, issuer: string) => readonly SqlValue[]
}

/** `lookup`: a lasting query that finds a few rows by their keys and locks none, so that it takes well below a millisecond. */
type StatementKind = StatementLifetime | 'lookup'

/** A placeholder for a value that is known when the statement runs. */
export type Parameter<Name extends string> = (name: Name) => SqlValue

/**
 * Defines a statement. Kysely compiles it when it first runs, once for each storage, because a server needs only a tenth
 * of the statements when it starts.
 */
export function compileStatement<Name extends string>(
  define: (parameter: Parameter<Name>) => Compilable,
  kind: StatementKind = 'lasting',
): Statement<Name> {
  let compiled: CompiledStatement | undefined
  const statement = (): CompiledStatement => (compiled ??= compile(define(toNamedParameter)))

  return {
    get sql() {
      return statement().sql
    },
    lifetime: kind === 'lookup' ? 'lasting' : kind,
    isLookup: kind === 'lookup',
    bind(values, issuer) {
      // The types guarantee that the values contain every parameter except the issuer.
      const byName = values as Readonly<Record<string, SqlValue>>
      return statement().slots.map((slot) => {
        if (!(slot instanceof NamedParameter)) return slot
        return slot.parameter === 'issuer' ? issuer : (byName[slot.parameter] as SqlValue)
      })
    },
  }
}

/** Defines a lookup. */
export const compileLookup = <Name extends string>(
  define: (parameter: Parameter<Name>) => Compilable,
): Statement<Name> => compileStatement(define, 'lookup')

/** Like `compileStatement`, for a statement that is written as SQL. */
export const compileSql = <Name extends string>(
  query: QueryExecutorProvider,
  define: (parameter: Parameter<Name>) => RawBuilder<unknown>,
  kind?: StatementKind,
): Statement<Name> =>
  compileStatement((parameter: Parameter<Name>) => {
    const builder = define(parameter)
    return { compile: () => builder.compile(query) }
  }, kind)

/** Returns one parameter for each column, with the name of the column. */
export function parameters<Column extends string>(
  parameter: Parameter<Column>,
  columns: readonly Column[],
): Readonly<Record<Column, SqlValue>> {
  // The keys are exactly `columns`.
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

/** The name of a parameter in place of its value. Kysely passes values unchanged to the compiled query. */
class NamedParameter {
  readonly parameter: string

  constructor(parameter: string) {
    this.parameter = parameter
  }
}

const toNamedParameter = (name: string): SqlValue => new NamedParameter(name) as unknown as SqlValue
