import { AdminError } from '../error/admin-error.ts'
import { isIdentifier } from './identifier.ts'

/** Which part of a list is asked for. */
export interface PageRequest {
  /** What the page before it named as `next`; left out for the first. */
  readonly after?: string | undefined
  /** At most 200. Default 100. */
  readonly limit?: number | undefined
}

/** A part of a list. */
export interface Page<Item> {
  readonly items: readonly Item[]
  /** Where the next page begins; undefined on the last. */
  readonly next: string | undefined
}

/**
 * How many are asked for.
 * @throws AdminError `page_invalid`.
 */
export function pageLimit({ after, limit = 100 }: PageRequest): number {
  // RFC 9110 §15.5.1.
  if (!Number.isInteger(limit) || limit < 1 || limit > 200) throw new AdminError('page_invalid')
  if (after !== undefined && !isIdentifier(after, maximumPosition)) throw new AdminError('page_invalid')
  return limit
}

/**
 * A page of a list that is read by identifier: one more is read than is shown, to know whether there are more.
 * @throws AdminError `page_invalid`.
 */
export async function pageOf<Entry, Item>(request: PageRequest, list: KeyedList<Entry, Item>): Promise<Page<Item>> {
  const limit = pageLimit(request)
  const found = await list.read({ after: request.after, limit: limit + 1 })
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  return { items: shown.map(list.view), next: last === undefined || found.length <= limit ? undefined : list.key(last) }
}

/** A list whose pages begin behind a key. */
export interface KeyedList<Entry, Item> {
  readonly read: (page: { readonly after: string | undefined; readonly limit: number }) => Promise<readonly Entry[]>
  readonly key: (entry: Entry) => string
  readonly view: (entry: Entry) => Item
}

/** Longer than any position of any store. */
const maximumPosition = 1100
