import { epochSeconds } from '@mintmark/storage-interface'
import { breakStore, letOthersGoFirst, type BrokenStore } from './break-store.ts'

const settled = { outcome: 'settled' } as const

/** One broken store for each law of deliveries and cursors. */
export const brokenDeliveryStores: Readonly<Record<string, BrokenStore>> = {
  'deliveries: only the first of several with the same key is inserted, even after it was delivered': breakStore(
    'deliveries',
    (honest) => ({
      enqueue: (records) =>
        honest.enqueue(records.map((record) => ({ ...record, dedupeKey: `${record.deliveryId}${record.dedupeKey}` }))),
    }),
  ),
  'deliveries: of 16 concurrent insertions with the same key, exactly one succeeds': breakStore(
    'deliveries',
    (honest, _storage, seen) => ({
      enqueue: async (records) => {
        const fresh = records.filter(({ dedupeKey }) => !seen.has(dedupeKey))
        await letOthersGoFirst()
        for (const { dedupeKey } of fresh) seen.set(dedupeKey, true)
        await honest.enqueue(fresh)
        return { inserted: fresh.length }
      },
    }),
  ),
  'deliveries: concurrent leases never overlap, and omit no delivery': breakStore('deliveries', (honest) => ({
    // Reads the due deliveries, and leases them in a second step.
    lease: async (request) => {
      const pending = await honest.list({ state: 'pending', recipient: undefined, before: undefined, limit: 1000 })
      const due = pending.filter(({ dueAt }) => dueAt <= request.now).slice(0, request.limit)
      await letOthersGoFirst()
      await honest.lease(request)
      return due
    },
  })),
  'deliveries: leasing returns the earliest due deliveries of a channel, up to a limit for each recipient': breakStore(
    'deliveries',
    (honest) => ({ lease: (request) => honest.lease({ ...request, perRecipient: 100 }) }),
  ),
  'deliveries: only the first pending delivery of a lane is leased': breakStore('deliveries', (honest) => ({
    enqueue: (records) => honest.enqueue(records.map((record) => ({ ...record, lane: undefined }))),
  })),
  'deliveries: after a lease has ended, another worker takes over, and the first worker cannot settle': breakStore(
    'deliveries',
    (honest) => ({
      settle: async (settlement) => {
        const found = await honest.find(settlement.deliveryId)
        return honest.settle({ ...settlement, token: found?.leaseToken ?? '' })
      },
    }),
  ),
  'deliveries: a result is recorded once': breakStore('deliveries', (honest) => ({
    settle: async (settlement) => (await honest.settle(settlement), settled),
  })),
  'deliveries: nextDueAt follows insertions, leases and retries, and is undefined when nothing is pending': breakStore(
    'deliveries',
    (honest) => ({
      // Leaves out leased deliveries.
      nextDueAt: async () => {
        const pending = await honest.list({ state: 'pending', recipient: undefined, before: undefined, limit: 1000 })
        const [first] = pending.filter(({ leaseToken }) => leaseToken === undefined).toReversed()
        return first?.dueAt
      },
    }),
  ),
  'deliveries: only a dead delivery is requeued, and only once': breakStore('deliveries', (honest) => ({
    requeue: async (request) => (await honest.requeue(request), { outcome: 'requeued' }),
  })),
  'deliveries: a page has the deliveries of one state, newest first, and can start before a given delivery': breakStore(
    'deliveries',
    (honest) => ({ list: async (page) => (await honest.list(page)).toReversed() }),
  ),
  'deliveries: counts returns the numbers of pending and dead deliveries, and when the oldest pending one was created':
    breakStore('deliveries', (honest) => ({ counts: async () => ({ ...(await honest.counts()), dead: 0 }) })),
  'purge: deliveries are removed at keptUntil, and not before': breakStore('purge', (honest) => ({
    purgeExpired: (request) => honest.purgeExpired({ ...request, now: epochSeconds(request.now + 1) }),
  })),
  'cursors: of concurrent writers that read the same version, one succeeds': breakStore('cursors', (honest) => ({
    compareAndSwap: async (cursor) => {
      const current = await honest.read(cursor.consumer)
      return honest.compareAndSwap(cursor, current?.version ?? 0)
    },
  })),
}
