import type { Command } from 'commander'

import { parseCount } from '../duration.ts'
import type { Io } from '../io.ts'
import type { ConfigOptions } from '../place/place-options.ts'
import { showList, type Columns, type ShowOptions } from '../show.ts'

/** Which part of a list is asked for. */
export interface PageOptions extends ConfigOptions, ShowOptions {
  readonly limit: number
  readonly after?: string
}

/** Adds the flags that say which part of a list is asked for. */
export const withPage = (command: Command): Command =>
  command
    .option('--limit <count>', 'how many, at most 200', parseCount, 100)
    .option('--after <position>', 'begin behind this one')
    .option('--json', 'print JSON')

/** Shows a page, and how to see the next one. */
export function showPage<Item>(
  { items, next }: { readonly items: readonly Item[]; readonly next: string | undefined },
  columns: Columns<Item>,
  { io, json }: ShowOptions & { readonly io: Io },
): void {
  showList(items, columns, { io, ...(json && { json }) })
  if (next !== undefined) io.err(`There are more: --after ${next}`)
}
