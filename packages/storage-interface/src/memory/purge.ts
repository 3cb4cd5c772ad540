import { endingsKeptFor } from '../ending.ts'
import type { PurgeStore } from '../purge.ts'
import type { EpochSeconds } from '../time.ts'
import { removeFamily } from './families.ts'
import type { MemoryTables } from './medium.ts'
import type { Pause } from './pause.ts'
import { removeSession } from './sessions.ts'

/** Walks through the tables until the limit is reached: what lies in memory is quickly seen through. */
export function createMemoryPurge(tables: MemoryTables, pause: Pause): PurgeStore {
  return {
    async purgeExpired({ now, limit }) {
      await pause()
      let removed = 0
      for (const remove of removable(tables, now)) {
        if (removed === limit) return { removed, done: false }
        remove()
        removed += 1
      }
      return { removed, done: true }
    },
  }
}

/** For each row that may go, what removes it. Deleting from a Map while walking through it is sound. */
function* removable(tables: MemoryTables, now: EpochSeconds): Generator<() => void> {
  yield* expired(tables.codes, now)
  yield* expired(tables.interactions, now)
  for (const values of tables.claims.values()) {
    for (const [value, expiresAt] of values) if (expiresAt <= now) yield () => values.delete(value)
  }
  for (const [digest, { expiresAt }] of tables.opaqueTokens) {
    if (expiresAt <= now) yield () => tables.opaqueTokens.delete(digest)
  }
  for (const family of tables.families.byId.values()) {
    if (family.expiresAt <= now) yield () => removeFamily(tables.families, family)
  }
  for (const session of tables.sessions.byDigest.values()) {
    if (session.expiresAt <= now || session.idleExpiresAt <= now) yield () => removeSession(tables.sessions, session)
  }
  for (const [entryId, { expiresAt }] of tables.logs) {
    if (expiresAt <= now) yield () => tables.logs.delete(entryId)
  }
  for (const [tokenId, expiresAt] of tables.endings.tokens) {
    if (expiresAt <= now) yield () => tables.endings.tokens.delete(tokenId)
  }
  for (const [position, { endedAt }] of tables.endings.byPosition) {
    if (endedAt + endingsKeptFor <= now) yield () => tables.endings.byPosition.delete(position)
  }
  for (const [grantId, { revokedAt }] of tables.grants.byId) {
    if (revokedAt !== undefined) yield () => tables.grants.byId.delete(grantId)
  }
}

/** Single-use rows, used or not. */
function* expired<Key>(
  rows: Map<Key, { readonly record: { readonly expiresAt: EpochSeconds } }>,
  now: EpochSeconds,
): Generator<() => void> {
  for (const [key, { record }] of rows) if (record.expiresAt <= now) yield () => rows.delete(key)
}
