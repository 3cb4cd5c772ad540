import type { PurgeStore } from '../storage.ts'
import type { EpochSeconds } from '../values.ts'
import { removeRevocation } from './revocation-table.ts'
import { removeDelivery } from './deliveries.ts'
import { removeDecoupledRequest } from './decoupled-requests.ts'
import type { ExpiringRows } from './expiring-rows.ts'
import { removeFamily } from './families.ts'
import { removeLogEntry } from './logs.ts'
import type { MemoryTables } from './database.ts'
import type { SchedulerHook } from './rows.ts'
import { removeSession } from './sessions.ts'

/** Removes expired rows of each table until the limit is reached, and reads no other rows. */
export function createMemoryPurge(tables: MemoryTables, scheduler: SchedulerHook): PurgeStore {
  return {
    async purgeExpired(request) {
      await scheduler()
      let removed = 0
      for (const remove of removals(tables, request)) {
        if (removed === request.limit) return { removed, done: false }
        remove()
        removed += 1
      }
      return { removed, done: true }
    },
  }
}

interface PurgeRequest {
  readonly now: EpochSeconds
  readonly limit: number
}

/**
 * Yields a function for each removable row, which removes it. Yields up to one more than the limit per table, to show whether rows
 * are left.
 */
function* removals(tables: MemoryTables, request: PurgeRequest): Generator<() => void> {
  const { codes, interactions, replays, opaqueTokens, families, sessions, logs, revocations, grants } = tables
  const { deliveries, initialAccessTokens, pushedRequests, decoupledRequests } = tables
  yield* expiredRemovals(codes, request)
  yield* expiredRemovals(interactions, request)
  yield* expiredRemovals(pushedRequests, request)
  yield* expiredRemovals(decoupledRequests.byDigest, request, (digest) =>
    removeDecoupledRequest(decoupledRequests, digest),
  )
  for (const values of replays.values()) yield* expiredRemovals(values, request)
  yield* expiredRemovals(opaqueTokens, request)
  yield* expiredRemovals(families.byId, request, (familyId) => removeFamily(families, familyId))
  yield* expiredRemovals(sessions.byId, request, (sessionId) => removeSession(sessions, sessionId))
  yield* expiredRemovals(initialAccessTokens, request)
  yield* expiredRemovals(tables.subjects, request)
  yield* expiredRemovals(logs.byId, request, (entryId) => removeLogEntry(logs, entryId))
  yield* expiredRemovals(revocations.tokens, request)
  yield* expiredRemovals(revocations.byPosition, request, (position) => removeRevocation(revocations, position))
  yield* expiredRemovals(grants.byId, request)
  yield* expiredRemovals(tables.changes.byPosition, request)
  yield* expiredRemovals(deliveries.byId, request, (deliveryId) => removeDelivery(deliveries, deliveryId))
}

/** @param remove removes a row and its index entries; by default, it only deletes the row. */
function* expiredRemovals<Key extends string | number>(
  rows: ExpiringRows<Key, unknown>,
  { now, limit }: PurgeRequest,
  remove: (key: Key) => void = (key) => rows.delete(key),
): Generator<() => void> {
  for (const key of rows.expired(now, limit + 1)) yield () => remove(key)
}
