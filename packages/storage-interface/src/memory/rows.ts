import { compareText } from '../filter/matches-filter.ts'
import { createSortedRows } from './sorted-rows.ts'

/**
 * Stands for the input and output of a real store: it is awaited before each atomic step, and everything until the next await is
 * one step. A test can pass a hook that a scheduler resolves, and so try every interleaving.
 */
export type SchedulerHook = () => Promise<void>

/**
 * Returns a frozen copy of plain data. Records are copied once, when they are written. So reading needs no copy, and neither a
 * writer nor a reader can change the store through a record.
 */
export function frozenCopy<T>(value: T): T {
  return copy(value) as T
}

function copy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || isConstant(value)) return value
  if (Array.isArray(value)) return Object.freeze(value.map(copy))

  // Spreading copies a member `__proto__` as data, and later assignments to it find this member.
  const copied: Record<string, unknown> = { ...value }
  for (const key of Object.keys(copied)) {
    const member = copied[key]
    if (typeof member === 'object' && member !== null) copied[key] = copy(member)
  }
  return Object.freeze(copied)
}

/** Whether nothing in the value can change. A record often contains members of another record. */
const isConstant = (value: unknown): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (Object.isFrozen(value) && (Array.isArray(value) ? value : Object.values(value)).every(isConstant))

/** Rows by key, like a Map, that can be read in the order of their keys. */
export interface OrderedRows<Key extends string, Row> {
  /** All rows, so that tests can check that nothing was written. */
  readonly rows: ReadonlyMap<Key, Row>
  get(key: Key): Row | undefined
  has(key: Key): boolean
  set(key: Key, row: Row): void
  /** @returns whether the row existed. */
  delete(key: Key): boolean
  /** Iterates over the rows after a key, or over all rows. Do not add or remove rows meanwhile. */
  rowsAfter(key: Key | undefined): Iterable<Row>
}

export function createOrderedRows<Key extends string, Row>(): OrderedRows<Key, Row> {
  const rows = new Map<Key, Row>()
  const keys = createSortedRows<Key>(compareText)

  return {
    rows,
    get: (key) => rows.get(key),
    has: (key) => rows.has(key),

    set(key, row) {
      if (!rows.has(key)) keys.add(key)
      rows.set(key, row)
    },

    delete(key) {
      keys.remove(key)
      return rows.delete(key)
    },

    *rowsAfter(key) {
      for (const each of keys.from(key === undefined ? 0 : keys.countUpTo(key))) {
        const row = rows.get(each)
        if (row !== undefined) yield row
      }
    },
  }
}

/** Returns at most `limit` rows after a key, for lists in the order of identifiers. */
export function pageAfter<Key extends string, Row>(
  rows: OrderedRows<Key, Row>,
  { after, limit }: { readonly after: Key | undefined; readonly limit: number },
): readonly Row[] {
  const page: Row[] = []
  for (const row of rows.rowsAfter(after)) {
    if (page.length === limit) break
    page.push(row)
  }
  return page
}
