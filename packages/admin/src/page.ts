import { refuse } from './error/refusals.ts'
import { isIdentifier } from './text.ts'

/** Selects a part of a list. */
export interface PageRequest {
  /** The `next` of the previous page. Left out for the first page. */
  readonly after?: string | undefined
  /** At most 200. Default 100. */
  readonly limit?: number | undefined
}

/** A part of a list. */
export interface Page<Item> {
  readonly items: readonly Item[]
  /** The `after` of the next page; undefined on the last page. */
  readonly next: string | undefined
}

/**
 * Checks a page request, and returns its limit.
 * @throws AdminError `page_invalid`.
 */
export function pageLimit({ after, limit = 100 }: PageRequest): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > 200) throw refuse('page_invalid')
  if (after !== undefined && !isIdentifier(after, maximumPosition)) throw refuse('page_invalid')
  return limit
}

/** A list in storage that is ordered by a key. */
export interface KeyedList<Entry, Item> {
  readonly read: (page: { readonly after: string | undefined; readonly limit: number }) => Promise<readonly Entry[]>
  readonly key: (entry: Entry) => string
  readonly view: (entry: Entry) => Item
}

/**
 * Reads a page of a list. Reads one entry more than the page contains, to find out whether there is another page.
 * @throws AdminError `page_invalid`.
 */
export async function pageOf<Entry, Item>(request: PageRequest, list: KeyedList<Entry, Item>): Promise<Page<Item>> {
  const limit = pageLimit(request)
  const found = await list.read({ after: request.after, limit: limit + 1 })
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  return { items: shown.map(list.view), next: last === undefined || found.length <= limit ? undefined : list.key(last) }
}

/** In characters. No store returns a longer position. */
const maximumPosition = 1100
