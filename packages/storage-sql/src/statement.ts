import type { Compilable, QueryExecutorProvider, RawBuilder } from 'kysely'
import type { SqlValue, StatementLifetime } from './dialect.ts'

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
