import { clientId, epochSeconds, type AdminStorage } from '@mintmark/storage-interface'
import { aClientRecord, aDelivery } from '@mintmark/storage-interface/fixtures'
import { expect, test } from 'vitest'

import { checkDeliveries } from '../../packages/cli/src/doctor/check-deliveries.ts'
import type { DoctorTarget } from '../../packages/cli/src/doctor/target.ts'
import { withDatabase } from './command-line.ts'

const now = epochSeconds(1_790_000_000)

/** Enqueues a delivery and gives it up. */
async function giveUp(id: string, storage: AdminStorage): Promise<void> {
  await storage.deliveries.enqueue([aDelivery(id, { recipient: 'app', createdAt: now })])
  const lease = { channel: 'logout', now, until: now, token: id, limit: 1, perRecipient: 1, except: [] }
  await storage.deliveries.lease(lease)
  const result = { kind: 'dead', failure: 'http_400', keptUntil: epochSeconds(now + 900) } as const
  await storage.deliveries.settle({ deliveryId: id, token: id, result, now })
}

test('lists deliveries that were abandoned, and requeues one once', async () => {
  const line = await withDatabase()
  const storage = await line.storage()
  await giveUp('d1', storage)

  const listed = await line.run('delivery', 'list', '--client', 'app')
  const requeued = await line.run('delivery', 'requeue', 'd1')
  const again = await line.run('delivery', 'requeue', 'd1')

  expect(listed.out).toMatch(/^ID .*FAILURE/)
  expect(listed.out).toMatch(/d1 +logout +app +1 +http_400/)
  expect(requeued).toMatchObject({
    code: 0,
    out: 'Delivery d1 to app is pending again. A worker sends it within a minute.',
  })
  expect(again).toMatchObject({ code: 1 })
  expect(await storage.deliveries.find('d1')).toMatchObject({ state: 'pending', attempts: 0 })
})

test('doctor reports a worker that does not run, an old backlog and deliveries that were abandoned', async () => {
  const storage = await (await withDatabase()).storage()
  const levels = async (at: number) => {
    const target = { storage, metadata: { backchannel_logout_supported: true }, io: { clock: () => epochSeconds(at) } }
    // The check uses only these members.
    const findings = await checkDeliveries(target as Pick<DoctorTarget, 'storage' | 'metadata'> as DoctorTarget)
    return findings.map(({ level, check }) => `${level} ${check}`)
  }
  const healthy = ['ok delivery.worker', 'ok delivery.backlog', 'ok delivery.dead']
  expect(await levels(now)).toEqual(healthy)

  const backchannelLogoutUri = 'https://app.test/logout'
  await storage.clients.insert(aClientRecord({ clientId: clientId('app'), backchannelLogoutUri }))
  expect((await levels(now))[0]).toBe('fail delivery.worker')

  await storage.cursors.compareAndSwap({ consumer: 'logout', position: 1, readAt: now }, 0)
  expect(await levels(now + 900)).toEqual(healthy)
  expect((await levels(now + 901))[0]).toBe('fail delivery.worker')

  await giveUp('d1', storage)
  await storage.deliveries.enqueue([aDelivery('d2', { createdAt: now })])
  expect((await levels(now + 3601)).slice(1)).toEqual(['warn delivery.backlog', 'warn delivery.dead'])
})

test('webhook create prints a secret once, and the other commands show and change the webhook', async () => {
  const line = await withDatabase()

  const created = await line.run('webhook', 'create', 'https://app.example/hooks', '--type', 'user.changed', '--json')
  const { webhookId, secret } = JSON.parse(created.out) as { readonly webhookId: string; readonly secret: string }
  const rotated = await line.run('webhook', 'rotate', webhookId)
  const list = await line.run('webhook', 'list', '--json')
  const disabled = await line.run('webhook', 'disable', webhookId, '--json')
  const replayed = await line.run('webhook', 'replay', webhookId, '--json')
  const misplaced = await line.run('webhook', 'replay', webhookId, '--after', 'newest')
  const refused = await line.run('webhook', 'create', 'http://app.example')
  const removed = await line.run('webhook', 'remove', webhookId)

  expect(secret).toMatch(/^whsec_[\w+/]{43}=$/)
  expect(rotated.out).toMatch(/^secret \(shown only now\) {2}whsec_/)
  expect(JSON.parse(list.out)).toMatchObject([{ webhookId, url: 'https://app.example/hooks', secretCount: 2 }])
  expect(list.out).not.toContain('whsec_')
  expect(JSON.parse(disabled.out)).toMatchObject({ disabledAt: expect.any(Number) as number })
  expect(JSON.parse(replayed.out)).toMatchObject({ webhookId, version: 4 })
  expect(misplaced.err).toContain('Use the position of a change: a whole number, 0 or more.')
  expect(refused).toMatchObject({
    code: 1,
    err: expect.stringContaining('The URL of a webhook must use https') as string,
  })
  expect(removed).toEqual({ code: 0, out: `Webhook ${webhookId} is removed.`, err: '' })
})
