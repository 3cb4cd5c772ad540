import type { Later } from '../later.ts'
import type { RecordedStatement } from './recorded-statements.ts'
import type { SqlConnection, SqlValue } from './sql-connection.ts'

/** A row as the list of its values. */
export type Values = readonly unknown[]

/**
 * Prepares a recorded statement for new values. Each parameter whose recorded value equals a sample gets the new value
 * with the sample's name. All other parameters keep their recorded value.
 * @returns a function that runs the statement and returns its rows.
 * @throws Error if a sample equals none of the parameters.
 */
export function prepareRecorded<Name extends string>(
  { sql, parameters }: RecordedStatement,
  samples: Readonly<Record<Name, SqlValue>>,
  { lists }: SqlConnection,
): (values: Readonly<Record<Name, SqlValue>>) => Later<readonly Values[]> {
  const names = Object.keys(samples) as Name[]
  const sources = parameters.map((parameter) => names.find((name) => samples[name] === parameter))
  const unused = names.filter((name) => !sources.includes(name))
  if (unused.length > 0)
    throw new Error(
      `No parameter of the statement equals the sample ${unused.map((name) => `${name}, ${String(samples[name])}`).join('; ')}: ${sql}`,
    )

  const run = lists(sql)
  return (values) =>
    run(...sources.map((name, index) => (name === undefined ? (parameters[index] ?? null) : values[name])))
}
