import { epochSeconds, type EpochSeconds } from '@mintmark/storage-interface'

import type { Io } from './io.ts'
import { printable, table } from './table.ts'

/** Whether the answer is to be JSON. */
export interface ShowOptions {
  readonly json?: true
}

/** A list as a table has it: a cell for each row, by column heading. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => string>>

/** Shows a list: as a table, or as a JSON array of all that is known of each row. */
export function showList<Row>(
  rows: readonly Row[],
  columns: Columns<Row>,
  { json, io }: ShowOptions & { readonly io: Io },
): void {
  if (json === true) return io.out(JSON.stringify(rows, undefined, 2))
  io.out(
    table(
      Object.keys(columns),
      rows.map((row) => Object.values(columns).map((cell) => cell(row))),
    ),
  )
}

/**
 * Shows one thing: a line for each member that has a value, or JSON.
 * @param labels what people call its members, where that is another name.
 */
export function showThing(thing: object, { json, io, labels = {} }: ThingOptions): void {
  if (json === true) return io.out(JSON.stringify(thing, undefined, 2))
  const members = Object.entries(thing).flatMap(([name, value]) =>
    value === undefined ? [] : [[labels[name] ?? name, memberText(name, value)] as const],
  )
  const width = Math.max(...members.map(([name]) => name.length))
  for (const [name, text] of members) io.out(`${name.padEnd(width)}  ${printable(text)}`)
}

interface ThingOptions extends ShowOptions {
  readonly io: Pick<Io, 'out'>
  readonly labels?: Readonly<Record<string, string>>
}

/** A point in time as people and programs read it; a dash for none. */
export const instant = (time: EpochSeconds | undefined): string =>
  time === undefined ? '-' : new Date(time * 1000).toISOString().replace('.000Z', 'Z')

function memberText(name: string, value: unknown): string {
  const text = withInstants(name, value)
  return typeof text === 'string' ? text : JSON.stringify(text, withInstants)
}

/** Times within a list, such as those of secrets, are to be read too. */
const withInstants = (name: string, value: unknown): unknown =>
  typeof value === 'number' && name.endsWith('At') ? instant(epochSeconds(value)) : value
