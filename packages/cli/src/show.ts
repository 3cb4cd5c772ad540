import { epochSeconds, type EpochSeconds } from '@mintmark/storage-interface'

import type { Io } from './io.ts'

/** Whether the output is JSON. */
export interface ShowOptions {
  readonly json?: true
}

/** The columns of a table, by heading. Each function returns the text of a cell. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => string>>

/** Prints a list as a table, or as a JSON array of complete rows. */
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
 * Prints one record: one line for each member that has a value, or JSON.
 * @param options `labels` are the names to print instead of member names.
 */
export function showRecord(record: object, { json, io, labels = {} }: RecordOptions): void {
  if (json === true) return io.out(JSON.stringify(record, undefined, 2))
  const members = Object.entries(record).flatMap(([name, value]) =>
    value === undefined ? [] : [[labels[name] ?? name, memberText(name, value)] as const],
  )
  const width = Math.max(...members.map(([name]) => name.length))
  for (const [name, text] of members) io.out(`${name.padEnd(width)}  ${printable(text)}`)
}

/** Prints a sentence that says what a command did, or its result as JSON. */
export function showOutcome(result: object, { json, io, sentence }: OutcomeOptions): void {
  io.out(json === true ? JSON.stringify(result, undefined, 2) : sentence)
}

interface OutcomeOptions extends ShowOptions {
  readonly io: Pick<Io, 'out'>
  readonly sentence: string
}

interface RecordOptions extends ShowOptions {
  readonly io: Pick<Io, 'out'>
  readonly labels?: Readonly<Record<string, string>>
}

/** Formats a time in ISO 8601, or undefined as a dash. */
export const instant = (time: EpochSeconds | undefined): string =>
  time === undefined ? '-' : new Date(time * 1000).toISOString().replace('.000Z', 'Z')

function memberText(name: string, value: unknown): string {
  const text = withInstants(name, value)
  return typeof text === 'string' ? text : JSON.stringify(text, withInstants)
}

/** Converts times, including those in nested lists such as secrets. */
const withInstants = (name: string, value: unknown): unknown =>
  typeof value === 'number' && name.endsWith('At') ? instant(epochSeconds(value)) : value

/** Formats a plain table: headings in capitals, columns two spaces apart. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings.map((heading) => heading.toUpperCase()), ...rows.map((row) => row.map(printable))]
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/**
 * Replaces control and format characters. Names come from other systems, and these characters could move the cursor or
 * change the writing direction.
 */
export const printable = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '?')
