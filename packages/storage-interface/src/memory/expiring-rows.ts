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
  /** The keys of the rows that expire in the same second. Under load there are thousands, and their order does not matter. */
  const keysByExpiry = new Map<EpochSeconds, Set<Key>>()
  const expiries = createSortedRows<EpochSeconds>((one, other) => one - other)

  function move(key: Key, from: EpochSeconds | undefined, to: EpochSeconds | undefined): void {
    if (from === to) return
    if (from !== undefined) forget(key, from)
    if (to === undefined) return
    const keys = keysByExpiry.get(to)
    if (keys !== undefined) return void keys.add(key)
    keysByExpiry.set(to, new Set([key]))
    expiries.add(to)
  }

  function forget(key: Key, expiresAt: EpochSeconds): void {
    const keys = keysByExpiry.get(expiresAt)
    keys?.delete(key)
    if (keys?.size !== 0) return
    keysByExpiry.delete(expiresAt)
    expiries.remove(expiresAt)
  }

  const expiryAt = (key: Key): EpochSeconds | undefined => {
    const row = rows.get(key)
    return row === undefined ? undefined : expiryOf(row)
  }

  return {
    rows,
    get: (key) => rows.get(key),
    has: (key) => rows.has(key),

    set(key, row) {
      move(key, expiryAt(key), expiryOf(row))
      rows.set(key, row)
    },

    delete(key) {
      move(key, expiryAt(key), undefined)
      rows.delete(key)
    },

    expired(now, limit) {
      const found: Key[] = []
      for (const expiresAt of expiries.from(0)) {
        if (now < expiresAt) break
        for (const key of keysByExpiry.get(expiresAt) ?? []) {
          if (found.length === limit) return found
          found.push(key)
        }
      }
      return found
    },
  }
}
