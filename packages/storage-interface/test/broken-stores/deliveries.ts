import { epochSeconds } from '@mintmark/storage-interface'
import { breakStore, letOthersGoFirst, type BrokenStore } from './break-store.ts'

const settled = { outcome: 'settled' } as const

/** One broken store for each law of deliveries and cursors. */
export const brokenDeliveryStores: Readonly<Record<string, BrokenStore>> = {
  'deliveries: of several with one key the first is inserted, also after it was delivered': breakStore(
    'deliveries',
    (honest) => ({
      enqueue: (records) =>
        honest.enqueue(records.map((record) => ({ ...record, dedupeKey: `${record.deliveryId}${record.dedupeKey}` }))),
    }),
  ),
  'deliveries: of 16 concurrent enqueuings of one key exactly one inserts': breakStore(
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
  'deliveries: concurrent leases never overlap, and together they lease everything': breakStore(
    'deliveries',
    (honest) => ({
      // Reads the due deliveries, and leases them in a second step.
      lease: async (request) => {
        const pending = await honest.list({ state: 'pending', recipient: undefined, before: undefined, limit: 1000 })
        const due = pending.filter(({ dueAt }) => dueAt <= request.now).slice(0, request.limit)
        await letOthersGoFirst()
        await honest.lease(request)
        return due
      },
    }),
  ),
  'deliveries: a lease has the first that are due, of one channel, some of each recipient': breakStore(
    'deliveries',
    (honest) => ({ lease: (request) => honest.lease({ ...request, perRecipient: 100 }) }),
  ),
  'deliveries: of a lane only the first that is pending is leased': breakStore('deliveries', (honest) => ({
    enqueue: (records) => honest.enqueue(records.map((record) => ({ ...record, lane: undefined }))),
  })),
  'deliveries: a lease that has ended is taken over, and its worker is told that it was lost': breakStore(
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
  'deliveries: the next is due when it was enqueued, leased or postponed for, until none is pending': breakStore(
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
  'deliveries: a dead one is requeued once, and no other': breakStore('deliveries', (honest) => ({
    requeue: async (request) => (await honest.requeue(request), { outcome: 'requeued' }),
  })),
  'deliveries: a page has one state, newest first, and continues before a delivery': breakStore(
    'deliveries',
    (honest) => ({ list: async (page) => (await honest.list(page)).toReversed() }),
  ),
  'deliveries: counts are of each state, with the age of the oldest that is pending': breakStore(
    'deliveries',
    (honest) => ({ counts: async () => ({ ...(await honest.counts()), dead: 0 }) }),
  ),
  'purge: deliveries are removed when they need not be kept, and not before': breakStore('purge', (honest) => ({
    purgeExpired: (request) => honest.purgeExpired({ ...request, now: epochSeconds(request.now + 1) }),
  })),
  'cursors: of the writers that read one version one is swapped': breakStore('cursors', (honest) => ({
    compareAndSwap: async (cursor) => {
      const current = await honest.read(cursor.consumer)
      return honest.compareAndSwap(cursor, current?.version ?? 0)
    },
  })),
}
