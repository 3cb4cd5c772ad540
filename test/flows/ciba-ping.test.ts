import { updateClient } from '@mintmark/core'
import { clientId, userId } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, it, onTestFinished } from 'vitest'

import { answerOf, ask, askForId, poll, startCibaServer, type CibaSite } from '../support/ciba-world.ts'
import { expectJsonRefusal } from '../support/expect-refusal.ts'
import { changeClient } from '../support/fixture-clients.ts'
import { startLogoutReceiver, type LogoutReceiver } from '../support/logout-receiver.ts'

const endpoint = 'https://agent.test/ping?tenant=1'
const token = '8d67dc78-7faa-4d41-aabd-67707b374255'
const withToken = { client_notification_token: token }

/** Starts a server, and registers C for pings at a real receiver. */
async function startPingServer(
  options: Parameters<typeof startCibaServer>[0] = {},
): Promise<{ readonly site: CibaSite; readonly receiver: LogoutReceiver }> {
  const receiver = await startLogoutReceiver(['agent.test', 'inside.test'], ['inside.test'])
  onTestFinished(() => receiver.close())
  const site = await startCibaServer({ fetch: receiver.fetch, ...options })
  const change = { backchannelTokenDeliveryMode: 'ping', backchannelClientNotificationEndpoint: endpoint } as const
  await updateClient({ clientId: 'C' }, change, { storage: site.storage })
  return { site, receiver }
}

describe('a client in the mode ping (CIBA Core 1.0 §10.2)', () => {
  it('is notified of an approval with its own token, and gets the tokens', async () => {
    const { site, receiver } = await startPingServer()
    const { authReqId, pending } = await askForId(site, withToken)
    expect(await site.server.deliverOnce()).toMatchObject({ delivered: 0 })

    await pending.approve(answerOf(site))
    const report = await site.server.deliverOnce()

    expect(report).toEqual({ delivered: 1, failed: 0, dead: 0, more: false })
    expect(receiver.received).toMatchObject([
      {
        host: 'agent.test',
        authorization: `Bearer ${token}`,
        contentType: 'application/json',
        body: JSON.stringify({ auth_req_id: authReqId }),
      },
    ])
    expect((await poll(site, authReqId)).status).toBe(200)
  })

  it('is notified of a denial, once', async () => {
    const { site, receiver } = await startPingServer()
    const { authReqId, pending } = await askForId(site, withToken)

    await Promise.all([pending.deny(), pending.deny(), pending.approve(answerOf(site))])
    await site.server.deliverOnce()
    await site.server.deliverOnce()

    expect(receiver.received.length).toBe(1)
    expect((await poll(site, authReqId)).json).not.toMatchObject({ error: 'authorization_pending' })
  })

  it('is notified after the decision while somebody delivers, without another request', async () => {
    const { site, receiver } = await startPingServer()
    const stop = new AbortController()
    const delivering = site.server.deliver({ signal: stop.signal })
    const { pending } = await askForId(site, withToken)

    await pending.approve(answerOf(site))
    await receiver.waitForTokens(1)

    stop.abort()
    await delivering
    expect(receiver.received.length).toBe(1)
  })

  it('is notified even if nobody delivers, and the operator learns that failures would wait', async () => {
    const works: Promise<unknown>[] = []
    const { site, receiver } = await startPingServer({
      backChannelLogout: { waitUntil: (work) => void works.push(work) },
    })
    const { pending } = await askForId(site, withToken)

    await pending.approve(answerOf(site))
    await Promise.all(works)

    expect(receiver.received.length).toBe(1)
    expect(site.events).toContainEqual(expect.objectContaining({ type: 'delivery.delivered', channel: 'ciba_ping' }))
  })

  it('may poll, also before it was notified', async () => {
    const { site } = await startPingServer()
    const { authReqId, pending } = await askForId(site, withToken)

    expect((await poll(site, authReqId)).json['error']).toBe('authorization_pending')
    await pending.approve(answerOf(site))

    expect((await poll(site, authReqId)).status).toBe(200)
  })

  it.each([
    [301, 1],
    [401, 1],
    [404, 1],
    [500, 2],
  ])('that answers %i is called %i times, and a redirect is not followed', async (status, calls) => {
    const { site, receiver } = await startPingServer()
    receiver.setBehaviour('agent.test', (response) =>
      response.writeHead(status, { location: 'https://inside.test/' }).end(),
    )
    const { pending } = await askForId(site, withToken)
    await pending.approve(answerOf(site))

    await site.server.deliverOnce()
    site.clock.advance(10)
    await site.server.deliverOnce()

    expect(receiver.received.map(({ host }) => host)).toEqual(Array.from({ length: calls }, () => 'agent.test'))
    const { type } = site.events.findLast((event) => event.type.startsWith('delivery.')) ?? {}
    expect(type).toBe(calls === 1 ? 'delivery.dead' : 'delivery.failed')
  })

  it.each([
    [200, 'Thank you.'],
    [401, 'No.'],
    [403, 'No.'],
    [301, ''],
  ])('gets its tokens although it answers %i with the body "%s" (CIBA Core 1.0 §10.2)', async (status, body) => {
    const { site, receiver } = await startPingServer()
    receiver.setBehaviour('agent.test', (response) => response.writeHead(status, { location: '/x' }).end(body))
    const { authReqId, pending } = await askForId(site, withToken)
    await pending.approve(answerOf(site))

    await site.server.deliverOnce()
    site.clock.advance(60)
    await site.server.deliverOnce()

    expect(receiver.received).toHaveLength(1)
    expect((await poll(site, authReqId)).status).toBe(200)
  })

  it('is not called any more when the request has expired, and the operator learns it', async () => {
    const { site, receiver } = await startPingServer()
    receiver.setBehaviour('agent.test', (response) => response.writeHead(503).end())
    const { pending } = await askForId(site, withToken)
    await pending.approve(answerOf(site))
    await site.server.deliverOnce()

    site.clock.advance(600)
    const report = await site.server.deliverOnce()

    expect([report.dead, receiver.received.length]).toEqual([1, 1])
  })

  it('is not called at an address inside of the network', async () => {
    const { site, receiver } = await startPingServer()
    const { pending } = await askForId(site, withToken)
    const inside = { backchannelClientNotificationEndpoint: 'https://inside.test/ping' }
    await changeClient(site.storage, clientId('C'), inside)

    await pending.approve(answerOf(site))
    const report = await site.server.deliverOnce()

    expect([report.dead, receiver.received.length]).toEqual([1, 0])
    expect(site.events).toContainEqual(expect.objectContaining({ type: 'delivery.dead', failure: 'not_public' }))
  })

  it('is not notified when it was disabled, or when its user was deactivated before they decided', async () => {
    const { site, receiver } = await startPingServer()
    const first = await askForId(site, withToken)
    await first.pending.approve(answerOf(site))
    const second = await askForId(site, withToken)
    await site.storage.users.deactivate(userId('U1'), site.clock.now())
    await changeClient(site.storage, clientId('C'), { disabledAt: site.clock.now() })

    expect(await second.pending.approve(answerOf(site))).toBe('ended')
    await site.server.deliverOnce()

    expect(receiver.received).toEqual([])
  })

  it('is notified although the process that decided was killed between the notification and the decision', async () => {
    const storage = createMemoryStorage({ issuer: 'https://as.test' })
    let isCrashing = true
    const { decoupledRequests } = storage
    const crashing = {
      ...decoupledRequests,
      decide: (request: Parameters<typeof decoupledRequests.decide>[0]) =>
        isCrashing ? Promise.reject(new Error('killed')) : decoupledRequests.decide(request),
    }
    const { site, receiver } = await startPingServer({ storage: { ...storage, decoupledRequests: crashing } })
    const { pending } = await askForId(site, withToken)

    await expect(pending.approve(answerOf(site))).rejects.toThrow('killed')
    await site.server.deliverOnce()
    expect(receiver.received).toEqual([])
    isCrashing = false
    await pending.approve(answerOf(site))
    site.clock.advance(2)
    await site.server.deliverOnce()

    expect(receiver.received.length).toBe(1)
  })

  it('leaves neither its token nor the auth_req_id in storage', async () => {
    const { site } = await startPingServer()
    const { authReqId, pending } = await askForId(site, withToken)
    await pending.approve(answerOf(site))

    expect(site.dump()).not.toContain(token)
    expect(site.dump()).not.toContain(authReqId)
  })
})

describe('a client_notification_token (CIBA Core 1.0 §7.1)', () => {
  it.each([
    ['is missing', undefined, 'notification_token_missing'],
    ['has less than 128 bits', token.slice(0, 21), 'notification_token_invalid'],
    ['is longer than 1024 characters', 'abcdef'.repeat(171), 'notification_token_invalid'],
    ['is not a bearer token', `${token} x`, 'notification_token_invalid'],
    ['could end the header', `${token}\r\nx: y`, 'notification_token_invalid'],
    ['is a repeated word', 'abc'.repeat(20), 'notification_token_invalid'],
  ] as const)('is refused when it %s', async (_, sent, reason) => {
    const { site } = await startPingServer()

    const send = () => ask(site, { client_notification_token: sent })
    await expectJsonRefusal(site, { status: 400, error: 'invalid_request' }, { send, reason })
  })

  it('is accepted with 1024 characters', async () => {
    const { site } = await startPingServer()

    expect((await ask(site, { client_notification_token: `abcdef${'-'.repeat(1018)}` })).status).toBe(200)
  })
})

describe('a server whose storage keeps no deliveries', () => {
  it('lists only the mode poll, and refuses requests of clients that wait for notifications', async () => {
    const { deliveries: _, ...storage } = createMemoryStorage({ issuer: 'https://as.test' })
    const site = await startCibaServer({ storage: storage as never, backChannelLogout: false })
    await changeClient(site.storage, clientId('C'), { backchannelTokenDeliveryMode: 'ping' })

    const refusal = { send: () => ask(site, withToken), reason: 'ping_unavailable' } as const
    await expectJsonRefusal(site, { status: 400, error: 'unauthorized_client' }, refusal)
    const { json } = await site.send({ path: '/.well-known/openid-configuration' })
    expect(json['backchannel_token_delivery_modes_supported']).toEqual(['poll'])
  })
})
