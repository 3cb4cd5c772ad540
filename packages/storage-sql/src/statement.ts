import type { Compilable, QueryExecutorProvider, RawBuilder } from 'kysely'
import type { SqlValue, StatementLifetime } from './dialect.ts'

/** SQL text with a name for each of its parameters, run with other values each time. */
export interface Statement<Name extends string> {
  readonly sql: string
  readonly lifetime: StatementLifetime
  readonly bind: (values: Readonly<Record<Name, SqlValue>>) => readonly SqlValue[]
}

/** Stands in a query for a value that is known when the statement runs. */
export type Parameter<Name extends string> = (name: Name) => SqlValue

/**
 * A statement, built when it is first asked for: the only place where Kysely works, once for each statement of a storage. A
 * server that starts needs a tenth of them.
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
    bind: (values) =>
      statement().slots.map((slot) => (slot instanceof NamedParameter ? values[slot.parameter as Name] : slot)),
  }
}

/** As `compileStatement`, of a statement that is written as SQL. */
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
  /** What each placeholder is bound to, or by which name it is known then. */
  readonly slots: readonly (SqlValue | NamedParameter)[]
}

function compile(query: Compilable): CompiledStatement {
  const { sql, parameters } = query.compile()
  return { sql, slots: parameters.map((value) => (value instanceof NamedParameter ? value : (value as SqlValue))) }
}

/** Kysely carries values untouched from the query to the compiled parameters, and so carries this. */
class NamedParameter {
  readonly parameter: string

  constructor(parameter: string) {
    this.parameter = parameter
  }
}

const named = (name: string): SqlValue => new NamedParameter(name) as unknown as SqlValue
