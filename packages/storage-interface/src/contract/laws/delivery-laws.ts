// One file, because these are all laws of one store.
import type { DeliveryRecord, DeliveryResult, LeaseRequest, NewDelivery } from '../../delivery.ts'
import type { DeliveryStorage } from '../../storage.ts'
import { after, type EpochSeconds, seconds } from '../../values.ts'
import * as records from '../complete-records.ts'
import { now, nowPlus } from '../fixtures.ts'
import { aDelivery } from '../provisioning-fixtures.ts'
import { type StorageLaw, type Trial, atOnce, law, tally } from '../law.ts'
import { isolation } from './isolation-laws.ts'

/** Deliveries: each is leased by one worker at a time, and none is lost. */
export const deliveryLaws: readonly StorageLaw<DeliveryStorage>[] = [
  law(
    'deliveries: only the first of several with the same key is inserted, even after it was delivered',
    async (trial) => {
      const { storage, same } = trial
      const again = aDelivery('2', { dedupeKey: aDelivery('1').dedupeKey })
      same(await storage.deliveries.enqueue([aDelivery('1'), again]), { inserted: 1 }, 'two of one key')
      await settleFirst(trial, { kind: 'delivered', keptUntil: nowPlus(90) })

      same(await storage.deliveries.enqueue([again, aDelivery('3')]), { inserted: 1 }, 'the key after the delivery')
      same(await idsOf(trial, 'delivered'), ['1'], 'what was delivered')
      same(await idsOf(trial, 'pending'), ['3'], 'what is pending')
    },
  ),

  law('deliveries: of 16 concurrent insertions with the same key, exactly one succeeds', async ({ server, same }) => {
    const results = await atOnce(16, async (index) => {
      const { inserted } = await server(index).deliveries.enqueue([aDelivery(`${index}`, { dedupeKey: 'key' })])
      return { outcome: inserted === 1 ? 'inserted' : 'taken' }
    })

    same(tally(results), { inserted: 1, taken: 15 }, 'outcomes')
  }),

  law('deliveries: concurrent leases never overlap, and omit no delivery', async ({ server, same }) => {
    const ids = Array.from({ length: 60 }, (_, index) => `${100 + index}`)
    await server(0).deliveries.enqueue(ids.map((id) => aDelivery(id, { recipient: `client-${id}` })))

    const leased = await atOnce(12, async (index) => {
      const found: DeliveryRecord[] = []
      for (let round = 0; ; round += 1) {
        const token = `token-${index}-${round}`
        const batch = await server(index).deliveries.lease({ ...lease, token, limit: 3, perRecipient: 3 })
        if (batch.length === 0) return found
        found.push(...batch)
      }
    })

    const all = leased.flat().map(({ deliveryId }) => deliveryId)
    const rest = await server(0).deliveries.lease({ ...lease, limit: 60 })
    same([...all, ...rest.map(({ deliveryId }) => deliveryId)].toSorted(), ids, 'each delivery once')
  }),

  law(
    'deliveries: leasing returns the earliest due deliveries of a channel, up to a limit for each recipient',
    async (trial) => {
      const { storage, same } = trial
      await storage.deliveries.enqueue([
        due('a', 'busy', -9),
        due('b', 'busy', -8),
        due('c', 'busy', -7),
        due('d', 'other', -6),
        due('e', 'third', 0),
        due('f', 'third', 1),
        aDelivery('g', { channel: 'other', createdAt: nowPlus(-9) }),
        due('h', 'excluded', -9),
      ])
      const ids = async (more: Partial<LeaseRequest>) =>
        (await storage.deliveries.lease({ ...lease, except: ['excluded'], ...more })).map(
          ({ deliveryId }) => deliveryId,
        )

      same(await ids({ limit: 2, perRecipient: 1 }), ['a', 'd'], 'one of each recipient')
      same(await ids({ limit: 9, perRecipient: 1 }), ['b', 'e'], 'the next of each recipient')
      same(await ids({ limit: 9, perRecipient: 9 }), ['c'], 'what is left')
      same(await ids({ limit: 9, perRecipient: 9 }), [], 'while the only one is excluded')
      same(await ids({ limit: 9, perRecipient: 9, except: [] }), ['h'], 'what was excluded')
      same(await ids({ limit: 9, perRecipient: 9, now: nowPlus(1) }), ['f'], 'what is due a second later')
      same(await ids({ limit: 9, perRecipient: 9, channel: 'other' }), ['g'], 'the other channel')
    },
  ),

  law('deliveries: only the first pending delivery of a lane is leased', async ({ storage, same }) => {
    await storage.deliveries.enqueue([inLane('a', 'x', 2), inLane('b', 'x', 1), inLane('c', 'y', 7), aDelivery('d')])
    const leaseAll = async (token: string, at: EpochSeconds = now) => {
      const leased = await storage.deliveries.lease({
        ...lease,
        token,
        limit: 9,
        perRecipient: 9,
        now: at,
        until: after(at, seconds(30)),
      })
      return leased.map(({ deliveryId }) => deliveryId).toSorted()
    }

    same(await leaseAll('first'), ['b', 'c', 'd'], 'the first of each lane')
    same(await leaseAll('second'), [], 'while they are leased')
    const retry = { kind: 'retry', failure: 'timeout', dueAt: nowPlus(600) } as const
    await storage.deliveries.settle({ deliveryId: 'b', token: 'first', result: retry, now })
    same(await leaseAll('third'), [], 'while the first waits for its next attempt')
    const dead = { kind: 'dead', failure: 'http_400', keptUntil: nowPlus(9000) } as const
    same(await leaseAll('fourth', nowPlus(600)), ['b', 'c', 'd'], 'the first again')
    await storage.deliveries.settle({ deliveryId: 'b', token: 'fourth', result: dead, now: nowPlus(600) })
    same(await leaseAll('fifth', nowPlus(600)), ['a'], 'the next of its lane')
  }),

  law(
    'deliveries: after a lease has ended, another worker takes over, and the first worker cannot settle',
    async (trial) => {
      const { storage, same } = trial
      await storage.deliveries.enqueue([aDelivery('1')])
      await storage.deliveries.lease({ ...lease, token: 'first' })

      const early = await storage.deliveries.lease({ ...lease, token: 'early', now: nowPlus(29) })
      const [later] = await storage.deliveries.lease({
        ...lease,
        token: 'second',
        now: nowPlus(30),
        until: nowPlus(60),
      })

      same(early, [], 'before the end of the lease')
      same([later?.leaseToken, later?.dueAt, later?.attempts], ['second', nowPlus(60), 0], 'after it')
      const result = { kind: 'dead', failure: 'http_400', keptUntil: nowPlus(90) } as const
      const late = { deliveryId: '1', token: 'first', result, now: nowPlus(31) }
      same(await storage.deliveries.settle(late), { outcome: 'lost' }, 'the first worker')
      same(await storage.deliveries.find('1'), later, 'the delivery after that')
      same(await storage.deliveries.settle({ ...late, token: 'second' }), { outcome: 'settled' }, 'the second worker')
    },
  ),

  law('deliveries: a result is recorded once', async (trial) => {
    const { storage, same } = trial
    const results = [
      { kind: 'delivered', keptUntil: nowPlus(70) },
      { kind: 'dead', failure: 'http_400', keptUntil: nowPlus(80) },
      { kind: 'retry', failure: 'timeout', dueAt: nowPlus(5) },
      { kind: 'postponed', dueAt: nowPlus(6) },
    ] as const
    const settled = [
      { state: 'delivered', attempts: 1, keptUntil: nowPlus(70), settledAt: nowPlus(2), lastFailure: undefined },
      { state: 'dead', attempts: 1, keptUntil: nowPlus(80), settledAt: nowPlus(2), lastFailure: 'http_400' },
      { state: 'pending', attempts: 1, dueAt: nowPlus(5), settledAt: undefined, lastFailure: 'timeout' },
      { state: 'pending', attempts: 0, dueAt: nowPlus(6), settledAt: undefined, lastFailure: undefined },
    ] as const

    for (const [index, result] of results.entries()) {
      const deliveryId = `${index}`
      await storage.deliveries.enqueue([aDelivery(deliveryId)])
      const [leased] = await storage.deliveries.lease({ ...lease, token: deliveryId, except: [] })
      const settlement = { deliveryId, token: deliveryId, result, now: nowPlus(2) }
      const outcomes = await atOnce(4, (server) => trial.server(server).deliveries.settle(settlement))

      same(tally(outcomes), { settled: 1, lost: 3 }, `4 settlements of ${result.kind}`)
      const found = await storage.deliveries.find(deliveryId)
      const kept = result.kind === 'delivered' || result.kind === 'dead' ? { dueAt: found?.dueAt } : {}
      same(found, { ...leased, leaseToken: undefined, ...settled[index], ...kept }, `the delivery, ${result.kind}`)
    }
  }),

  law(
    'deliveries: nextDueAt follows insertions, leases and retries, and is undefined when nothing is pending',
    async (trial) => {
      const { storage, same } = trial
      const next = () => storage.deliveries.nextDueAt('logout')
      same(await next(), undefined, 'before the first')
      await storage.deliveries.enqueue([aDelivery('1'), aDelivery('2', { createdAt: nowPlus(300) })])
      same(await next(), now, 'of two')
      await storage.deliveries.lease({ ...lease, token: 'token' })
      same(await next(), nowPlus(30), 'while the first is leased')
      const retry = { kind: 'retry', failure: 'timeout', dueAt: nowPlus(400) } as const
      await storage.deliveries.settle({ deliveryId: '1', token: 'token', result: retry, now })
      same(await next(), nowPlus(300), 'after the first was put off')
      same(await storage.deliveries.nextDueAt('other'), undefined, 'of another channel')

      for (const id of ['1', '2']) {
        const at = nowPlus(500)
        await storage.deliveries.lease({ ...lease, token: id, limit: 1, now: at, until: nowPlus(501) })
        const result = { kind: 'delivered', keptUntil: nowPlus(900) } as const
        for (const deliveryId of ['1', '2']) await storage.deliveries.settle({ deliveryId, token: id, result, now: at })
      }
      same(await next(), undefined, 'after both were delivered')
    },
  ),

  law('deliveries: only a dead delivery is requeued, and only once', async (trial) => {
    const { storage, same } = trial
    await storage.deliveries.enqueue([aDelivery('1')])
    await settleFirst(trial, { kind: 'dead', failure: 'http_400', keptUntil: nowPlus(90) })
    await storage.deliveries.enqueue([aDelivery('2')])
    const times = { now: nowPlus(50), expiresAt: nowPlus(60), keptUntil: nowPlus(70) }
    const requeue = (deliveryId: string, server = storage) => server.deliveries.requeue({ deliveryId, ...times })

    const outcomes = await atOnce(4, (index) => requeue('1', trial.server(index)))

    same(tally(outcomes), { requeued: 1, unchanged: 3 }, '4 at once')
    same(await requeue('2'), { outcome: 'unchanged' }, 'a pending one')
    same(await requeue('3'), { outcome: 'absent' }, 'an unknown one')
    const { now: dueAt, expiresAt, keptUntil } = times
    const expected = { state: 'pending', attempts: 0, dueAt, expiresAt, keptUntil, settledAt: undefined }
    const found = await storage.deliveries.find('1')
    same({ ...found, ...expected }, found, 'the requeued one')
  }),

  law(
    'deliveries: a page has the deliveries of one state, newest first, and can start before a given delivery',
    async (trial) => {
      const { storage, same } = trial
      const ids = ['1', '2', '3', '4', '5']
      await storage.deliveries.enqueue(
        ids.toReversed().map((id) => aDelivery(id, { recipient: Number(id) % 2 === 0 ? 'even' : 'odd' })),
      )

      same(await idsOf(trial, 'pending'), ids.toReversed(), 'all')
      same(await idsOf(trial, 'pending', { limit: 2 }), ['5', '4'], 'the first two')
      same(await idsOf(trial, 'pending', { before: '4', limit: 2 }), ['3', '2'], 'the next two')
      same(await idsOf(trial, 'pending', { recipient: 'odd' }), ['5', '3', '1'], 'of one recipient')
      same(await idsOf(trial, 'pending', { recipient: 'odd', before: '5', limit: 1 }), ['3'], 'its next')
      same(await idsOf(trial, 'dead'), [], 'of another state')
    },
  ),

  law(
    'deliveries: counts returns the numbers of pending and dead deliveries, and when the oldest pending one was created',
    async (trial) => {
      const { storage, same } = trial
      same(await storage.deliveries.counts(), { pending: 0, dead: 0, oldestPendingAt: undefined }, 'of none')
      await storage.deliveries.enqueue([aDelivery('1')])
      await settleFirst(trial, { kind: 'dead', failure: 'http_400', keptUntil: nowPlus(90) })
      await storage.deliveries.enqueue([aDelivery('2')])
      await settleFirst(trial, { kind: 'delivered', keptUntil: nowPlus(90) })
      await storage.deliveries.enqueue([3, 4].map((index) => aDelivery(`${index}`, { createdAt: nowPlus(index) })))

      same(await storage.deliveries.counts(), { pending: 2, dead: 1, oldestPendingAt: nowPlus(3) }, 'of four')
    },
  ),

  law('round trip: deliveries', async (trial) => {
    const { storage, same } = trial
    const { fullDelivery: full } = records
    const stored = {
      ...full,
      state: 'pending',
      attempts: 0,
      dueAt: full.createdAt,
      leaseToken: undefined,
      lastFailure: undefined,
      settledAt: undefined,
    }
    await storage.deliveries.enqueue([full])
    same(await storage.deliveries.find(full.deliveryId), stored, 'as enqueued')

    const request = { ...lease, channel: full.channel, now: full.createdAt, token: 'token' }
    const leased = { ...stored, dueAt: lease.until, leaseToken: 'token' }
    same(await storage.deliveries.lease(request), [leased], 'as leased')
    const listing = { state: 'pending', recipient: full.recipient, before: undefined, limit: 1 } as const
    same(await storage.deliveries.list(listing), [leased], 'as listed')
  }),

  law('purge: deliveries are removed at keptUntil, and not before', async (trial) => {
    const { storage, same } = trial
    await storage.deliveries.enqueue([aDelivery('1'), aDelivery('2')])
    const { keptUntil } = aDelivery('1')

    await storage.purge.purgeExpired({ now: nowPlus(keptUntil - now - 1), limit: 100 })
    same((await idsOf(trial, 'pending')).length, 2, 'before')
    await storage.purge.purgeExpired({ now: keptUntil, limit: 100 })
    same(await idsOf(trial, 'pending'), [], 'after')
    same(await storage.deliveries.enqueue([aDelivery('1')]), { inserted: 1 }, 'the key of a removed one')
  }),

  isolation('deliveries are leased, settled, requeued and listed', async (trial, other) => {
    const { storage, same } = trial
    const find = (id: string) => storage.deliveries.find(id)
    await storage.deliveries.enqueue([aDelivery('1')])
    const enqueued = await find('1')
    const settlement = {
      deliveryId: '1',
      token: 'token',
      result: { kind: 'retry', failure: 'x', dueAt: now },
      now,
    } as const

    same(await other.deliveries.lease(lease), [], 'lease')
    await storage.deliveries.lease({ ...lease, token: 'token', until: now })
    same(await other.deliveries.settle(settlement), { outcome: 'lost' }, 'settle')
    const times = { now, expiresAt: now, keptUntil: now }
    same(await other.deliveries.requeue({ deliveryId: '1', ...times }), { outcome: 'absent' }, 'requeue')
    same(await other.deliveries.nextDueAt('logout'), undefined, 'nextDueAt')
    const page = { state: 'pending', recipient: undefined, before: undefined, limit: 9 } as const
    same(await other.deliveries.list(page), [], 'list')
    same((await other.deliveries.counts()).pending, 0, 'counts')
    same(await find('1'), { ...enqueued, leaseToken: 'token' }, "the first issuer's delivery")
  }),
]

const due = (id: string, recipient: string, secondsLater: number): NewDelivery =>
  aDelivery(id, { recipient, createdAt: nowPlus(secondsLater) })

const lease: LeaseRequest = {
  channel: 'logout',
  now,
  until: nowPlus(30),
  token: 'token',
  limit: 10,
  perRecipient: 10,
  except: [],
}

async function settleFirst({ storage }: Trial<DeliveryStorage>, result: DeliveryResult): Promise<void> {
  const [leased] = await storage.deliveries.lease({ ...lease, token: 'settling', limit: 1 })
  const { deliveryId = '' } = leased ?? {}
  await storage.deliveries.settle({ deliveryId, token: 'settling', result, now })
}

const idsOf = async (
  { storage }: Trial<DeliveryStorage>,
  state: DeliveryRecord['state'],
  page: { readonly recipient?: string; readonly before?: string; readonly limit?: number } = {},
): Promise<readonly string[]> => {
  const { recipient, before, limit = 100 } = page
  return (await storage.deliveries.list({ state, recipient, before, limit })).map(({ deliveryId }) => deliveryId)
}

const inLane = (id: string, lane: string, sequence: number): NewDelivery =>
  aDelivery(id, { lane, sequence, recipient: id })
