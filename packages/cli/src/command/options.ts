import { InvalidArgumentError, type Command } from 'commander'

import type { ConfigOptions } from '../config/settings.ts'
import type { Io } from '../io.ts'
import { showList, type Columns, type ShowOptions } from '../show.ts'

/** The flags that select a page of a list. */
export interface PageOptions extends ConfigOptions, ShowOptions {
  readonly limit: number
  readonly after?: string
}

/** Adds the flags that select a page of a list. */
export const withPage = (command: Command): Command =>
  command
    .option('--limit <count>', 'the number of entries, at most 200', parseCount, 100)
    .option('--after <position>', 'the position to continue after')
    .option('--json', 'print JSON')

/** Prints a page, and the flag that lists the next one. */
export function showPage<Item>(
  { items, next }: { readonly items: readonly Item[]; readonly next: string | undefined },
  columns: Columns<Item>,
  { io, json }: ShowOptions & { readonly io: Io },
): void {
  showList(items, columns, { io, ...(json && { json }) })
  if (next !== undefined) io.err(`There are more: --after ${next}`)
}

/** The flags of a command that adds a secret. */
export interface AddSecretOptions extends ConfigOptions, ShowOptions {
  /** In seconds. */
  readonly previousEndsIn?: number
}

/** Adds the flags of a command that adds a secret. */
export const withAddSecretFlags = (command: Command): Command =>
  command
    .option(
      '--previous-ends-in <time>',
      'when the previous secrets expire, such as 30m, 24h or 7d; default: they keep working',
      parseDuration,
    )
    .option('--json', 'print JSON')

/** Returns the time at which the previous secrets expire. */
export const previousExpiry = ({
  previousEndsIn,
  io,
}: AddSecretOptions & { readonly io: Io }): { readonly previousExpiresAt?: number } =>
  previousEndsIn === undefined ? {} : { previousExpiresAt: io.clock() + previousEndsIn }

/**
 * Parses a duration such as `45s`, `30m`, `24h` or `7d`, and returns seconds.
 * @throws InvalidArgumentError, which Commander reports with the name of the flag.
 */
export function parseDuration(text: string): number {
  const match = /^(\d{1,6})([smhd])$/.exec(text)
  const unit = units[match?.[2] ?? '']
  if (match?.[1] === undefined || unit === undefined)
    throw new InvalidArgumentError('Use a duration such as 45s, 30m, 24h or 7d.')
  return Number(match[1]) * unit
}

/** Parses a whole number of at least one. */
export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Use a whole number, 1 or more.')
  return Number(text)
}

/** Parses a whole number of seconds, 0 or more. */
export function parseSeconds(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Use a whole number of seconds.')
  return Number(text)
}

/** Parses a position in the list of changes. */
export function parsePosition(text: string): number {
  if (!/^\d{1,15}$/.test(text))
    throw new InvalidArgumentError('Use the position of a change: a whole number, 0 or more.')
  return Number(text)
}

/** Formats a duration in seconds, in the largest unit that fits, rounded down. */
export function durationText(duration: number): string {
  const [name, unit] = Object.entries(units).findLast(([, unit]) => duration >= unit) ?? ['s', 1]
  return `${Math.floor(duration / unit)}${name}`
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/**
 * Parses the number of a port; 0 means a free one.
 * @throws InvalidArgumentError, which Commander reports with the name of the flag.
 */
export function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('Write a number up to 65535.')
  return Number(text)
}
