import type { DeliveryStorage } from '../../storage.ts'
import { now, nowPlus } from '../fixtures.ts'
import { type StorageLaw, atOnce, law, tally } from '../law.ts'
import { isolation } from './isolation-laws.ts'

/** Cursors: of several workers that read the same cursor, one changes it. */
export const cursorLaws: readonly StorageLaw<DeliveryStorage>[] = [
  law('cursors: of concurrent writers that read the same version, one succeeds', async ({ storage, server, same }) => {
    const swapTo = (position: number, version: number, index = 0) =>
      server(index).cursors.compareAndSwap({ ...cursor, position }, version)
    same(await storage.cursors.read('logout'), undefined, 'before the first')
    same(tally(await atOnce(4, (index) => swapTo(1, 0, index))), { swapped: 1, conflict: 3 }, '4 concurrent insertions')
    same(await storage.cursors.read('logout'), { ...cursor, position: 1, version: 1 }, 'the first')
    same(tally(await atOnce(4, (index) => swapTo(2, 1, index))), { swapped: 1, conflict: 3 }, '4 concurrent changes')

    same(await swapTo(3, 1), { outcome: 'conflict' }, 'a writer with an earlier version')
    const record = { ...cursor, position: 3, readAt: nowPlus(9), version: 3 }
    const swap = await storage.cursors.compareAndSwap({ ...cursor, position: 3, readAt: nowPlus(9) }, 2)
    same(swap, { outcome: 'swapped', record }, 'a writer with this version')
    same(await storage.cursors.read('logout'), record, 'the cursor')
    same(await storage.cursors.read('other'), undefined, 'the cursor of another reader')
  }),

  isolation('cursors are read and written', async ({ storage, same }, other) => {
    await storage.cursors.compareAndSwap(cursor, 0)

    same(await other.cursors.read('logout'), undefined, 'read')
    same((await other.cursors.compareAndSwap(cursor, 0)).outcome, 'swapped', 'compareAndSwap')
    same((await storage.cursors.read('logout'))?.version, 1, "the first issuer's cursor")
  }),
]

const cursor = { consumer: 'logout', position: 7, readAt: now }
