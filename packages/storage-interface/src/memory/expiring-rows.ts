import type { EpochSeconds } from '../time.ts'
import { createSortedRows } from './sorted-rows.ts'

/** Rows by their key, as a Map has them, and in the order in which they may be cleared away. */
export interface ExpiringRows<Key extends string | number, Row> {
  /** All of them, so that tests can tell that nothing was written. */
  readonly rows: ReadonlyMap<Key, Row>
  get(key: Key): Row | undefined
  has(key: Key): boolean
  set(key: Key, row: Row): void
  delete(key: Key): void
  /** The keys of at most `limit` rows that may be cleared away, those that expired first before others. */
  expired(now: EpochSeconds, limit: number): readonly Key[]
}

/** @param expiryOf from when on a row may be cleared away; `undefined` for never. */
export function createExpiringRows<Key extends string | number, Row>(
  expiryOf: (row: Row) => EpochSeconds | undefined,
): ExpiringRows<Key, Row> {
  const rows = new Map<Key, Row>()
  const expiries = createSortedRows<Expiry<Key>>(compareExpiries)

  function move(key: Key, before: Row | undefined, after: Row | undefined): void {
    const [from, to] = [before, after].map((row) => (row === undefined ? undefined : expiryOf(row)))
    if (from === to) return
    if (from !== undefined) expiries.remove({ key, expiresAt: from })
    if (to !== undefined) expiries.add({ key, expiresAt: to })
  }

  return {
    rows,
    get: (key) => rows.get(key),
    has: (key) => rows.has(key),

    set(key, row) {
      move(key, rows.get(key), row)
      rows.set(key, row)
    },

    delete(key) {
      move(key, rows.get(key), undefined)
      rows.delete(key)
    },

    expired(now, limit) {
      const keys: Key[] = []
      for (const { key, expiresAt } of expiries.from(0)) {
        if (keys.length === limit || now < expiresAt) break
        keys.push(key)
      }
      return keys
    },
  }
}

interface Expiry<Key> {
  readonly key: Key
  readonly expiresAt: EpochSeconds
}

function compareExpiries<Key extends string | number>(one: Expiry<Key>, other: Expiry<Key>): number {
  if (one.expiresAt !== other.expiresAt) return one.expiresAt - other.expiresAt
  if (one.key === other.key) return 0
  return one.key < other.key ? -1 : 1
}
