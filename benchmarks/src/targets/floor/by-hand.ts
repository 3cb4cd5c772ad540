import type { Later } from '../later.ts'
import type { RecordedStatement } from './recorded-statements.ts'
import type { SqlConnection, SqlValue } from './sql-connection.ts'

/** A row as the list of its values. */
export type Values = readonly unknown[]

/**
 * Prepares a recorded statement for other values: each parameter whose value was that of a sample is bound by the name
 * of that sample; all others keep their recorded value.
 * @returns a function that returns its rows.
 * @throws Error when none of the parameters had the value of a sample.
 */
export function byHand<Name extends string>(
  { sql, parameters }: RecordedStatement,
  samples: Readonly<Record<Name, SqlValue>>,
  { lists }: SqlConnection,
): (values: Readonly<Record<Name, SqlValue>>) => Later<readonly Values[]> {
  const names = Object.keys(samples) as Name[]
  const sources = parameters.map((parameter) => names.find((name) => samples[name] === parameter))
  const unused = names.filter((name) => !sources.includes(name))
  if (unused.length > 0)
    throw new Error(
      `Nothing was bound to ${unused.map((name) => `${name}, ${String(samples[name])}`).join('; ')}: ${sql}`,
    )

  const run = lists(sql)
  return (values) =>
    run(...sources.map((name, place) => (name === undefined ? (parameters[place] ?? null) : values[name])))
}
