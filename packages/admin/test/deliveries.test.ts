import { epochSeconds } from '@mintmark/storage-interface'
import { aDelivery } from '@mintmark/storage-interface/fixtures'
import { expect, it } from 'vitest'

import { startAdminServer } from './admin-server-under-test.ts'
import { expectRefused, startAdmin, type AdminUnderTest } from './admin-under-test.ts'

/** Three deliveries that were given up, one that was delivered, and one that is pending. */
async function withDeliveries(): Promise<AdminUnderTest> {
  const under = startAdmin()
  const now = under.clock.now()
  const { deliveries } = under.storage
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
  return under
}

it('lists what was given up, newest first, page by page and by client', async () => {
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

it('requeues a delivery that was given up, once, and writes it into the audit log', async () => {
  const under = await withDeliveries()
  const now = under.clock.now()

  const requeued = await under.admin.deliveries.requeue('2')

  expect(requeued).toMatchObject({ state: 'pending', attempts: 0, dueAt: now, expiresAt: now + 86_400 })
  expect(under.events).toMatchObject([
    { type: 'delivery.requeued', target: { kind: 'delivery', id: '2' }, before: { clientId: 'other' } },
  ])
  await expectRefused(under, () => under.admin.deliveries.requeue('2'), 'delivery_not_dead')
  await expectRefused(under, () => under.admin.deliveries.requeue('4'), 'delivery_not_dead')
  await expectRefused(under, () => under.admin.deliveries.requeue('none'), 'delivery_unknown')
})

it('requeues over HTTP only with the scope of deliveries (RFC 6750 §3.1)', async () => {
  const under = startAdminServer()
  const path = '/deliveries/none/requeue'

  const refused = await under.send({ method: 'POST', path, scopes: 'admin:deliveries:read' })
  const unknown = await under.send({ method: 'POST', path, scopes: 'admin:deliveries:write' })

  expect(refused).toMatchObject({ status: 403, body: { code: 'scope_missing' } })
  expect(unknown).toMatchObject({ status: 404, body: { code: 'delivery_unknown' } })
})
