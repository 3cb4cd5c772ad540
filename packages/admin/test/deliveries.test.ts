import { epochSeconds } from '@mintmark/storage-interface'
import { aDelivery } from '@mintmark/storage-interface/fixtures'
import { expect, it } from 'vitest'

import { startAdminServer } from './admin-server-under-test.ts'
import { expectRefused, startAdmin, type AdminUnderTest } from './admin-under-test.ts'

/** Creates three deliveries that were abandoned, one that was delivered, and one that is pending. */
async function withDeliveries(): Promise<AdminUnderTest> {
  const system = startAdmin()
  const now = system.clock.now()
  const { deliveries } = system.storage
  for (const [id, recipient] of [
    ['1', 'app'],
    ['2', 'other'],
    ['3', 'app'],
    ['4', 'app'],
  ] as const) {
    await deliveries.enqueue([aDelivery(id, { recipient, createdAt: now })])
    const until = epochSeconds(now + 30)
    const lease = { channel: 'logout', now, until, token: id, limit: 1, perRecipient: 1, except: [] }
    await deliveries.lease(lease)
    const keptUntil = epochSeconds(now + 900)
    const result =
      id === '4'
        ? ({ kind: 'delivered', keptUntil } as const)
        : ({ kind: 'dead', failure: 'http_400', keptUntil } as const)
    await deliveries.settle({ deliveryId: id, token: id, result, now })
  }
  await deliveries.enqueue([aDelivery('5', { recipient: 'app', createdAt: now })])
  return system
}

it('lists abandoned deliveries by default, newest first and page by page, or deliveries by client or state', async () => {
  const { admin } = await withDeliveries()
  const ids = async (page: Parameters<typeof admin.deliveries.list>[0]) => {
    const { items, next } = await admin.deliveries.list(page)
    return [...items.map(({ deliveryId }) => deliveryId), next]
  }

  expect(await ids({})).toEqual(['3', '2', '1', undefined])
  expect(await ids({ limit: 2 })).toEqual(['3', '2', '2'])
  expect(await ids({ limit: 2, after: '2' })).toEqual(['1', undefined])
  expect(await ids({ clientId: 'other' })).toEqual(['2', undefined])
  expect(await ids({ state: 'delivered' })).toEqual(['4', undefined])
  expect(await ids({ state: 'pending' })).toEqual(['5', undefined])
})

it('requeues a delivery that was abandoned, once, and writes an audit event', async () => {
  const system = await withDeliveries()
  const now = system.clock.now()

  const requeued = await system.admin.deliveries.requeue('2')

  expect(requeued).toMatchObject({ state: 'pending', attempts: 0, dueAt: now, expiresAt: now + 86_400 })
  expect(system.events).toMatchObject([
    { type: 'delivery.requeued', target: { kind: 'delivery', id: '2' }, before: { clientId: 'other' } },
  ])
  await expectRefused(system, () => system.admin.deliveries.requeue('2'), 'delivery_not_dead')
  await expectRefused(system, () => system.admin.deliveries.requeue('4'), 'delivery_not_dead')
  await expectRefused(system, () => system.admin.deliveries.requeue('none'), 'delivery_unknown')
})

it('requires the write scope of deliveries to requeue one over HTTP (RFC 6750 §3.1)', async () => {
  const system = startAdminServer()
  const path = '/deliveries/none/requeue'

  const refused = await system.send({ method: 'POST', path, scopes: 'admin:deliveries:read' })
  const unknown = await system.send({ method: 'POST', path, scopes: 'admin:deliveries:write' })

  expect(refused).toMatchObject({ status: 403, body: { code: 'scope_missing' } })
  expect(unknown).toMatchObject({ status: 404, body: { code: 'delivery_unknown' } })
})
