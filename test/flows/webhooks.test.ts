import { type Administration, createAdministration } from '@mintmark/admin'
import { createAuthorizationServer, createStoredKeys, type ServerEvent } from '@mintmark/core'
import { type AdminStorage, epochSeconds, providerId, sessionId, userId } from '@mintmark/storage-interface'
import { aProvisionedState, aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'

const issuer = 'https://as.test'

describe('a webhook', () => {
  it('gets signed messages about changes by directories and administrators (Standard Webhooks 1.0.0)', async () => {
    const world = startWorld()
    const { admin, storage } = world
    const secret = await world.create()

    await admin.users.create({ userId: 'ann', claims: { name: 'Ann' } })
    await admin.users.update({ userId: 'ann' }, { claims: { name: 'Anna', email: 'ann@x.test' } })
    await admin.users.deactivate('ann')
    await storage.provisionedUsers.insert(aProvisionedUser('p'))
    await world.deliver()

    const ofAnn = world.messages().filter(({ data }) => data['user_id'] === 'ann')
    expect(ofAnn.map(({ type, data }) => [type, data['attributes']])).toEqual([
      ['user.created', undefined],
      ['user.changed', ['email', 'name']],
      ['user.deactivated', undefined],
    ])
    expect(world.sent()).toContain('user.created user-p')
    for (const { headers, body } of world.requests) new Webhook(secret).verify(body, headers)
    expect(new Set(world.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(4)
    expect(JSON.stringify([world.requests, await storage.deliveries.list(everything)])).not.toContain('x.test')
  })

  it('gets only the types that it is registered for, and the user as stored when the message is sent', async () => {
    const world = startWorld()
    await world.create({ types: ['user.changed', 'user.removed'], includesUser: true })

    await world.admin.users.create({ userId: 'ann', claims: { name: 'Ann' } })
    await world.admin.users.update({ userId: 'ann' }, { claims: { name: 'Anna' } })
    await world.deliver()
    await world.admin.users.remove('ann')
    await world.deliver()

    expect(world.messages().map(({ type, data }) => [type, data['user']])).toEqual([
      ['user.changed', { user_id: 'ann', active: true, claims: { name: 'Anna' }, version: 2 }],
      ['user.removed', null],
    ])
  })

  it('gets the messages about one user in order: later ones wait for a retry, and messages about other users do not', async () => {
    const world = startWorld()
    await world.create({ types: ['user.created', 'user.changed'] })
    await world.admin.users.create({ userId: 'ann' })
    await world.admin.users.update({ userId: 'ann' }, { claims: { name: 'Anna' } })
    await world.admin.users.create({ userId: 'kim' })
    world.answer(({ data }) => (data['user_id'] === 'ann' ? 503 : 204))

    await world.deliver()
    const first = world.sent()
    world.answer(() => 204)
    world.advance(5)
    await world.deliver()

    expect(first.toSorted()).toEqual(['user.created ann', 'user.created kim'])
    expect(world.sent().slice(2)).toEqual(['user.created ann', 'user.changed ann'])
    const failed = world.requests[first.indexOf('user.created ann')]
    const repeated = world.requests[2]
    expect(repeated?.headers['webhook-id']).toBe(failed?.headers['webhook-id'])
    expect(repeated?.headers['webhook-timestamp']).not.toBe(failed?.headers['webhook-timestamp'])
  })

  it('gets a message again after a 410 response only when an administrator requeues it', async () => {
    const world = startWorld()
    await world.create()
    await world.admin.users.create({ userId: 'ann' })
    world.answer(() => 410)

    await world.deliver()
    const [dead] = (await world.admin.deliveries.list()).items
    world.answer(() => 200)
    await world.admin.deliveries.requeue(dead?.deliveryId ?? '')
    await world.deliver()

    expect(dead).toMatchObject({ channel: 'webhook', state: 'dead', lastFailure: 'http_410' })
    expect(world.sent()).toEqual(['user.created ann', 'user.created ann'])
  })

  it.each([
    [200, 1],
    [299, 1],
    [300, 2],
    [404, 2],
    // What a fetch of the host returns for a redirect that it does not follow (Fetch §2.2.6).
    [0, 2],
  ])('that first answers %d gets the message %d times (Standard Webhooks 1.0.0)', async (status, times) => {
    const world = startWorld()
    await world.create()
    await world.admin.users.create({ userId: 'ann' })
    world.answer(() => status)

    await world.deliver()
    world.answer(() => 204)
    world.advance(5)
    await world.deliver()

    expect(world.sent()).toHaveLength(times)
  })

  it('gets no message that is a day old, and an administrator can see the last failure', async () => {
    const world = startWorld()
    await world.create()
    await world.admin.users.create({ userId: 'ann' })
    world.answer(() => 503)
    await world.deliver()

    world.advance(86_400)
    await world.deliver()

    expect(world.requests).toHaveLength(1)
    expect((await world.admin.deliveries.list()).items).toMatchObject([{ state: 'dead', lastFailure: 'http_503' }])
  })

  it('gets messages signed with both secrets while one is replaced, and with the newest after that', async () => {
    const world = startWorld()
    const old = await world.create()
    const [webhook] = await world.admin.webhooks.list()
    const id = webhook?.webhookId ?? ''

    const renewed = await world.admin.webhooks.addSecret(id)
    await expect(world.admin.webhooks.addSecret(id)).rejects.toMatchObject({ reason: 'too_many_secrets' })
    await world.admin.users.create({ userId: 'ann' })
    await world.deliver()
    await world.admin.webhooks.revokePreviousSecrets(id)
    await world.admin.users.create({ userId: 'kim' })
    await world.deliver()

    const [both, newest] = world.requests
    if (both === undefined || newest === undefined) throw new Error('Two messages must have been sent')
    for (const secret of [old, renewed]) new Webhook(secret).verify(both.body, both.headers)
    new Webhook(renewed).verify(newest.body, newest.headers)
    expect(() => new Webhook(old).verify(newest.body, newest.headers)).toThrow('No matching signature')
    expect(JSON.stringify(await world.storage.webhooks.list())).not.toContain(old.slice(6))
  })

  it.each([
    ['was sealed with a sealing key that the server does not have', (sealed: string) => `another.${sealed}`],
    ['was altered', (sealed: string) => `${sealed}AAAA`],
    ['is empty', () => ''],
  ])('gets no message if one of its secrets %s, and an administrator sees why', async (_case, alter) => {
    const world = startWorld()
    await world.create()
    const [webhook] = await world.admin.webhooks.list()
    await world.admin.webhooks.addSecret(webhook?.webhookId ?? '')
    const { webhooks } = world.storage
    const find: typeof webhooks.find = async (id) => {
      const found = await webhooks.find(id)
      return (
        found && { ...found, secrets: found.secrets.map((sealed, index) => (index === 1 ? alter(sealed) : sealed)) }
      )
    }
    const server = world.serverOf({ ...world.storage, webhooks: { ...webhooks, find } })
    await world.admin.users.create({ userId: 'ann' })

    expect(await server.deliverOnce()).toMatchObject({ failed: 1, more: false })
    expect(world.requests).toEqual([])
    const failure = 'sealing_key_missing'
    expect(world.events).toMatchObject([{ type: 'delivery.failed', failure }])
    world.advance(86_400)
    await server.deliverOnce()
    expect((await world.admin.deliveries.list()).items).toMatchObject([{ state: 'dead', lastFailure: failure }])

    const [dead] = (await world.admin.deliveries.list()).items
    await world.admin.deliveries.requeue(dead?.deliveryId ?? '')
    await world.deliver()
    expect(world.sent()).toEqual(['user.created ann'])
  })

  it('gets the same messages again when an administrator sets it back to a position', async () => {
    const world = startWorld()
    await world.create()
    for (const id of ['a', 'b', 'c']) await world.admin.users.create({ userId: id })
    await world.deliver()
    const [webhook] = await world.admin.webhooks.list()
    const [first] = await world.storage.changes.list({ after: 0, limit: 1 })

    await world.admin.webhooks.replay(webhook?.webhookId ?? '', first?.position ?? 0)
    await world.deliver()

    expect(world.sent().slice(3).toSorted()).toEqual(['user.created b', 'user.created c'])
    const ids = world.requests.map(({ headers }) => headers['webhook-id'])
    const earlier = ids.filter((_id, index) => index < 3 && world.sent()[index] !== 'user.created a')
    expect(new Set(ids.slice(3))).toEqual(new Set(earlier))
  })

  it('gets nothing while it is disabled, the waiting messages once it is enabled, and nothing after it was removed', async () => {
    const world = startWorld()
    await world.create()
    const [webhook] = await world.admin.webhooks.list()
    const id = webhook?.webhookId ?? ''
    await world.admin.webhooks.disable(id)
    await world.admin.users.create({ userId: 'ann' })

    await world.deliver()
    const whileDisabled = world.sent()
    await world.admin.webhooks.enable(id)
    await world.deliver()
    await world.admin.webhooks.remove(id)
    await world.admin.users.create({ userId: 'kim' })
    await world.deliver()

    expect(whileDisabled).toEqual([])
    expect(world.sent()).toEqual(['user.created ann'])
  })

  it('loses nothing when a worker dies after it has enqueued messages and before its position moves', async () => {
    const world = startWorld()
    await world.create()
    await world.admin.users.create({ userId: 'ann' })
    const { cursors } = world.storage
    const failing: AdminStorage = {
      ...world.storage,
      cursors: { ...cursors, compareAndSwap: () => Promise.reject(new Error('killed')) },
    }

    await expect(world.serverOf(failing).deliverOnce()).rejects.toThrow('killed')
    await world.deliver()

    expect(world.sent()).toEqual(['user.created ann'])
  })
})

describe('administration of webhooks', () => {
  it('accepts a URL of an origin that the host allows, at creation and later', async () => {
    const dangerouslyAllowOutbound = ['http://127.0.0.1:8080']
    const { storage } = startWorld()
    const keys = createStoredKeys({ storage, sealingKey: Buffer.alloc(32, 7).toString('base64url') })
    const { webhooks } = createAdministration({ storage, keys, dangerouslyAllowOutbound }).as({ kind: 'host', id: 'h' })

    const { webhook } = await webhooks.create({ url: 'http://127.0.0.1:8080/a' })
    await webhooks.update(webhook.webhookId, { url: 'http://127.0.0.1:8080/b' })

    expect(await webhooks.list()).toMatchObject([{ url: 'http://127.0.0.1:8080/b' }])
    await expect(webhooks.create({ url: 'http://127.0.0.1:9090/' })).rejects.toMatchObject({
      reason: 'webhook_url_invalid',
    })
  })

  it('refuses URLs that the server would not call, unknown types, and secrets without a key ring', async () => {
    const world = startWorld()
    const { webhooks } = world.admin
    const withoutKeys = createAdministration({ storage: world.storage }).as({ kind: 'host', id: 'h' })

    for (const url of [
      'http://app.test/h',
      'https://localhost/h',
      'https://10.0.0.1/h',
      'https://app.test:8443/h',
      'x',
    ])
      await expect(webhooks.create({ url })).rejects.toMatchObject({ reason: 'webhook_url_invalid' })
    await expect(webhooks.create({ url, types: ['user.born'] })).rejects.toMatchObject({
      reason: 'webhook_type_unknown',
    })
    await expect(withoutKeys.webhooks.create({ url })).rejects.toMatchObject({ reason: 'keys_missing' })
    await expect(webhooks.replay('none', 0)).rejects.toMatchObject({ reason: 'webhook_unknown' })
    expect(await webhooks.list()).toEqual([])
  })

  it('refuses the 51st webhook', async () => {
    const { webhooks } = startWorld().admin
    for (let count = 0; count < 50; count += 1) await webhooks.create({ url })

    await expect(webhooks.create({ url })).rejects.toMatchObject({ reason: 'too_many_webhooks' })
    expect(await webhooks.list()).toHaveLength(50)
  })
})

it('a webhook gets messages about a deactivation by a directory and the end of a session', async () => {
  const world = startWorld()
  await world.storage.provisionedUsers.insert(aProvisionedUser('p'))
  const user = { sessionId: sessionId('s1'), userId: userId('user-p'), userGeneration: 0, authTime: world.now() }
  const session = { ...user, acr: undefined, amr: [], userAgent: undefined, location: undefined }
  await world.create({ types: ['user.deactivated', 'session.ended'] })
  const state = aProvisionedState('p', { active: false })
  const change = { providerId: providerId('provider-1'), userId: userId('user-p'), version: 1, state, now: world.now() }

  await world.storage.sessions.insert({
    ...session,
    digest: undefined,
    createdAt: world.now(),
    lastSeenAt: world.now(),
    idleExpiresAt: undefined,
    expiresAt: undefined,
    keptUntil: epochSeconds(world.now() + 600),
    revokedAt: undefined,
    endReason: undefined,
  })
  await world.serverOf(world.storage).endSession('s1')
  await world.storage.provisionedUsers.compareAndSwap(change)
  await world.deliver()

  expect(world.sent()).toEqual(['session.ended user-p', 'user.deactivated user-p'])
})

const url = 'https://app.test/hooks'

const everything = { state: 'delivered', recipient: undefined, before: undefined, limit: 100 } as const

interface Received {
  readonly headers: Record<string, string>
  readonly body: string
}

interface Message {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Starts a server with a receiver instead of a network, and a clock that the test moves. */
function startWorld() {
  // The receiver's library compares the time of a message with the system clock.
  let now = epochSeconds(Math.floor(Date.now() / 1000))
  const clock = () => now
  const storage = createMemoryStorage({ issuer })
  const keys = createStoredKeys({ storage, sealingKey: Buffer.alloc(32, 7).toString('base64url'), clock })
  const requests: Received[] = []
  const events: ServerEvent[] = []
  let statusOf: (message: Message) => number = () => 204
  const receive: typeof fetch = (_url, init) => {
    const body = init?.body as string
    requests.push({ headers: Object.fromEntries(new Headers(init?.headers)), body })
    const status = statusOf(JSON.parse(body) as Message)
    return Promise.resolve(status === 0 ? Response.error() : new Response(null, { status }))
  }
  const serverOf = (ofServer: AdminStorage) =>
    createAuthorizationServer({
      issuer,
      keys,
      storage: ofServer,
      signedIn: () => Promise.resolve(undefined),
      clock,
      fetch: receive,
      onEvent: (event) => void events.push(event),
      purge: false,
      backChannelLogout: { afterRequests: false },
    })
  const server = serverOf(storage)
  const admin: Administration = createAdministration({ storage, keys, clock }).as({ kind: 'host', id: 'test' })
  const messages = () => requests.map(({ body }) => JSON.parse(body) as Message)
  return {
    admin,
    storage,
    requests,
    events,
    messages,
    serverOf,
    now: clock,
    create: async (more: object = {}) => (await admin.webhooks.create({ url, ...more })).secret,
    deliver: () => server.deliverOnce(),
    sent: () => messages().map(({ type, data }) => `${type} ${String(data['user_id'])}`),
    answer: (status: typeof statusOf) => void (statusOf = status),
    advance: (seconds: number) => void (now = epochSeconds(now + seconds)),
  }
}
