import type { EpochSeconds } from '../values.ts'
import { createSortedRows } from './sorted-rows.ts'

/** Rows by key, like a Map, that can be read in the order in which they may be purged. */
export interface ExpiringRows<Key extends string | number, Row> {
  /** All rows, so that tests can check that nothing was written. */
  readonly rows: ReadonlyMap<Key, Row>
  get(key: Key): Row | undefined
  has(key: Key): boolean
  set(key: Key, row: Row): void
  delete(key: Key): void
  /** Returns the keys of at most `limit` rows that may be purged, in the order in which they expired. */
  expired(now: EpochSeconds, limit: number): readonly Key[]
}

/** @param expiryOf returns the time from which a row may be purged; `undefined` if it is never purged. */
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
