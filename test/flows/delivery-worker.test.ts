import { toFetchHandler } from '@mintmark/adapter-fetch'
import { createAdministration } from '@mintmark/admin'
import type { AdminStorage } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, it } from 'vitest'

import { createDeliveryWorker, type DeliveryWorker } from '../../packages/core/src/delivery/worker.ts'
import type { ServerOccurrence } from '../../packages/core/src/events.ts'
import { createOutboundClient } from '../../packages/core/src/outbound/client.ts'
import { watchRevocations } from '../../packages/core/src/tokens/feed-watch.ts'
import { issuer, startLogoutWorld, type LogoutWorld } from '../support/logout-world.ts'

describe('the loop', () => {
  it('sends the messages of a sign-out in this process before its next poll', async () => {
    const world = await startLogoutWorld()
    await world.register('a')
    await world.join('s1', 'a')
    const site = startLoop(world)
    await site.paused()

    await world.revoke('s1')
    site.worker.nudge()
    await world.receiver.waitForTokens(1)

    // Only the nudge has ended the pause.
    await site.stop()
    expect(await world.deliveries('delivered')).toHaveLength(1)
  })

  it('sends the messages of a sign-out in another process after its next poll', async () => {
    const world = await startLogoutWorld()
    await world.register('a')
    await world.join('s1', 'a')
    const site = startLoop(world)
    await site.paused()

    await world.revoke('s1')
    // The loop reads revocations from storage at most ten times a second.
    while (world.receiver.received.length === 0) await site.next()

    await site.stop()
    expect(await world.deliveries('delivered')).toHaveLength(1)
  })

  it('asks storage only for new revocations while there is nothing to send', async () => {
    const calls: string[] = []
    const world = await startLogoutWorld({ storage: recording(createMemoryStorage({ issuer }), calls) })
    const site = startLoop(world)
    await site.paused()
    calls.length = 0

    for (let count = 0; count < 300; count += 1) await site.next()

    expect(calls.filter((call) => call !== 'revocations.list')).toEqual([])
    expect(calls.length).toBeLessThanOrEqual(300)
    await site.stop()
  })

  it('looks once a minute for revocations, and for deliveries of other processes, such as requeued ones', async () => {
    const calls: string[] = []
    const world = await startLogoutWorld({ storage: recording(createMemoryStorage({ issuer }), calls) })
    const site = startLoop(world)
    await site.paused()
    calls.length = 0

    world.clock.advance(60)
    await site.next()

    // The position of a loop that does not read it would be too old after a week: the loop would report a gap.
    expect(calls.filter((call) => /^(?:cursors|deliveries)\./.test(call))).toEqual([
      'cursors.read',
      'deliveries.lease',
      'deliveries.nextDueAt',
    ])
    await site.stop()
  })

  it('sends the next messages to a client as soon as an attempt has ended', async () => {
    const world = await startWorldWithSignOuts()
    const site = startLoop(world)

    // Two messages to a client are sent at once. No pause ends, and the clock stands still.
    await world.receiver.waitForTokens(5)

    await site.stop()
    expect(await world.deliveries('delivered')).toHaveLength(5)
  })

  it('sends the next messages when attempts end while the storage still answers what is due', async () => {
    const world = await startWorldWithSignOuts()
    const { deliveries } = world.storage
    let running = 0
    const slow: typeof deliveries = {
      ...deliveries,
      async lease(request) {
        const leased = await deliveries.lease(request)
        running += leased.length
        return leased
      },
      async settle(settlement) {
        const outcome = await deliveries.settle(settlement)
        running -= 1
        return outcome
      },
      async nextDueAt(channel) {
        const due = await deliveries.nextDueAt(channel)
        await expect.poll(() => running).toBe(0)
        return due
      },
    }
    const site = startLoop(world, { ...world.storage, deliveries: slow })

    // As above, no pause ends.
    await world.receiver.waitForTokens(5)

    await site.stop()
    expect(await world.deliveries('delivered')).toHaveLength(5)
  })

  it('sends a message that was postponed when it is due, without another sign-out', async () => {
    const world = await startLogoutWorld()
    const backchannelLogoutUri = 'https://a.test/logout'
    await world.register('a')
    await world.register('same-host', { backchannelLogoutUri })
    for (const session of ['s1', 's2']) {
      await world.join(session, 'a', 'same-host')
      await world.revoke(session)
    }
    const site = startLoop(world)
    // Two of the four messages are postponed, because at most two are sent to one host at once.
    const dueAt = () => world.storage.deliveries.nextDueAt('logout')
    await expect.poll(dueAt).toBe(world.clock.now() + 1)

    let waited = 0
    const received = () => {
      // At most ten seconds pass. After 30, the lease would end, and the loop would look in any case.
      if ((waited += 1) <= 10) world.clock.advance(1)
      site.tick()
      return world.receiver.received.length
    }

    await expect.poll(received).toBe(4)
    await site.stop()
  })

  it('retries a failed delivery when it is due, without another sign-out', async () => {
    const world = await startLogoutWorld()
    await world.register('a')
    await world.join('s1', 'a')
    world.receiver.setBehaviour('a.test', (response) => response.writeHead(500).end())
    const site = startLoop(world)
    await site.paused()
    await world.revoke('s1')
    site.worker.nudge()
    await site.until('delivery.failed')

    world.receiver.setBehaviour('a.test', (response) => response.writeHead(200).end())
    world.clock.advance(5)
    site.tick()
    await site.until('delivery.delivered')

    expect(world.receiver.received).toHaveLength(2)
    await site.stop()
  })

  it('survives a storage outage, and reports it', async () => {
    const world = await startLogoutWorld()
    await world.register('a')
    await world.join('s1', 'a')
    await world.revoke('s1')
    let isDown = true
    const { deliveries } = world.storage
    const lease: typeof deliveries.lease = (request) =>
      isDown ? Promise.reject(new Error('no connection')) : deliveries.lease(request)
    const site = startLoop(world, { ...world.storage, deliveries: { ...deliveries, lease } })
    await site.until('delivery.interrupted')

    isDown = false
    await site.paused()
    site.tick()
    await world.receiver.waitForTokens(1)

    await site.stop()
    expect(await world.deliveries('delivered')).toHaveLength(1)
  })

  it('waits for running attempts when it is stopped, and records their results', async () => {
    const world = await startLogoutWorld()
    await world.register('a')
    await world.join('s1', 'a')
    let respond = (): void => {}
    world.receiver.setBehaviour('a.test', (response) => void (respond = () => response.writeHead(200).end()))
    await world.revoke('s1')
    const site = startLoop(world)
    await world.receiver.waitForTokens(1)

    const stopped = site.stop()
    respond()
    await stopped

    expect(await world.deliveries('delivered')).toHaveLength(1)
  })

  it('cannot run twice at the same time in one server', async () => {
    const { server } = await startLogoutWorld()
    const stop = new AbortController()
    const running = server.deliver({ signal: stop.signal })

    await expect(server.deliver({ signal: stop.signal })).rejects.toThrow(TypeError)

    stop.abort()
    await running
  })
})

describe('several workers', () => {
  it('take over the delivery of a worker that was killed while sending it', async () => {
    const world = await startLogoutWorld()
    await world.register('a')
    await world.join('s1', 'a')
    await world.revoke('s1')
    // The first worker dies when it has leased the delivery.
    const { deliveries } = world.storage
    const dying = { ...deliveries, settle: () => Promise.reject(new Error('killed')) }
    const first = createWorker(world, { ...world.storage, deliveries: dying })
    await first.worker.once()

    expect(await world.server.deliverOnce()).toMatchObject({ delivered: 0 })
    world.clock.advance(30)

    expect(await world.server.deliverOnce()).toMatchObject({ delivered: 1 })
    expect(world.receiver.received).toHaveLength(2)
  })

  it('keep the result of the second worker when the first one stalls past its lease', async () => {
    const world = await startLogoutWorld()
    await world.register('a')
    await world.join('s1', 'a')
    await world.revoke('s1')
    let respond = (): void => {}
    world.receiver.setBehaviour('a.test', (response) => void (respond = () => response.writeHead(400).end()))
    const stalled = createWorker(world, world.storage).worker.once()
    await world.receiver.waitForTokens(1)
    world.receiver.setBehaviour('a.test', (response) => response.writeHead(200).end())
    world.clock.advance(30)

    expect(await world.server.deliverOnce()).toMatchObject({ delivered: 1 })
    respond()

    expect(await stalled).toMatchObject({ dead: 0 })
    expect(await world.deliveries('delivered')).toMatchObject([{ attempts: 1, lastFailure: undefined }])
  })

  it('send each message once when all read the same revocation at the same time', async () => {
    const world = await startLogoutWorld()
    await world.register('a')
    await world.register('b')
    await world.join('s1', 'a', 'b')
    await world.revoke('s1')

    const reports = await Promise.all(Array.from({ length: 6 }, () => createWorker(world, world.storage).worker.once()))

    expect(reports.reduce((sum, { delivered }) => sum + delivered, 0)).toBe(2)
    expect(world.receiver.received).toHaveLength(2)
  })
})

it('a client that does not answer delays no other client', async () => {
  const world = await startLogoutWorld()
  await world.register('a')
  await world.register('b')
  for (let session = 0; session < 40; session += 1) {
    await world.join(`s${session}`, 'a')
    await world.revoke(`s${session}`)
  }
  await world.join('last', 'b')
  await world.revoke('last')
  const hanging: (() => void)[] = []
  world.receiver.setBehaviour('a.test', (response) => void hanging.push(() => response.writeHead(200).end()))
  const site = startLoop(world)

  // Two requests to a.test hang. b.test gets its message although 38 messages to a.test are older.
  await site.until('delivery.delivered')

  expect(world.events).toEqual([])
  const hosts = () => world.receiver.received.map(({ host }) => host).toSorted()
  await expect.poll(hosts).toEqual(['a.test', 'a.test', 'b.test'])
  const stopped = site.stop()
  for (const answer of hanging) answer()
  await stopped
})

it('deliverOnce stops at its limit and at its deadline, and reports that more is due', async () => {
  const world = await startLogoutWorld()
  await world.register('a')
  for (const session of ['s1', 's2', 's3']) {
    await world.join(session, 'a')
    await world.revoke(session)
  }

  expect(await world.server.deliverOnce({ limit: 2 })).toEqual({ delivered: 2, failed: 0, dead: 0, more: true })
  expect(await world.server.deliverOnce({ deadline: 0 })).toMatchObject({ delivered: 0, more: true })
  expect(await world.server.deliverOnce()).toEqual({ delivered: 1, failed: 0, dead: 0, more: false })
})

it.each<readonly [string, object]>([
  ['limt', { limt: 5 }],
  ['limit', { limit: Number.NaN }],
  ['deadline', { deadline: -1 }],
])('deliverOnce says that its option %s is unknown or impossible', async (name, options) => {
  const { server } = await startLogoutWorld()

  await expect(server.deliverOnce(options)).rejects.toThrow(`deliverOnce: ${name} `)
})

it('deliver says that its signal is missing', async () => {
  const { server } = await startLogoutWorld()

  await expect(server.deliver({} as never)).rejects.toThrow('deliver: signal is missing')
})

it('deliverOnce reads no further page of revocations after its deadline', async () => {
  const world = await startLogoutWorld()
  await world.register('a')
  for (let session = 0; session < 150; session += 1) {
    await world.join(`s${session}`, 'a')
    await world.revoke(`s${session}`)
  }

  expect(await world.server.deliverOnce({ deadline: 0 })).toMatchObject({ delivered: 0, more: true })

  expect((await world.deliveries('pending')).length).toBeLessThan(150)
})

it('when no delivery loop runs, a sign-out starts a delivery and passes its promise to waitUntil', async () => {
  const works: Promise<unknown>[] = []
  const world = await startLogoutWorld()
  await world.register('a')
  await world.join('s1', 'a')
  const { worker } = createWorker(world, world.storage, (work) => void works.push(work))

  await world.revoke('s1')
  worker.nudge()
  await Promise.all(works)

  expect(works).toHaveLength(1)
  expect(await world.deliveries('delivered')).toHaveLength(1)
})

it.each<[string, (world: LogoutWorld) => Promise<unknown>]>([
  ['server.endSession ends a session', ({ server }) => server.endSession('s1')],
  ['an administrator ends a session', (world) => administer(world).sessions.revoke({ sessionId: 's1' })],
  ['an administrator deactivates the user', (world) => administer(world).users.deactivate('U1')],
  ['an administrator removes the user', (world) => administer(world).users.remove('U1')],
])('a delivery starts at once when %s in the same process', async (_case, revoke) => {
  const works: Promise<unknown>[] = []
  const world = await startLogoutWorld({ backChannelLogout: { waitUntil: (work) => void works.push(work) } })
  await world.register('a')
  await world.join('s1', 'a')

  await revoke(world)

  // No loop runs: the call itself has started the delivery.
  expect(works).not.toEqual([])
  await Promise.all(works)
  expect(world.receiver.received[0]?.claims).toMatchObject({ aud: 'a', sub: 'U1' })
})

it('a sign-out sends its logout tokens although nobody called deliver, and the server says so once', async () => {
  const world = await startLogoutWorld({ backChannelLogout: { afterRequests: true } })
  await world.register('a')
  await world.join('s1', 'a')
  await world.join('s2', 'a')

  await world.server.endSession('s1')
  await expect.poll(() => world.receiver.received.length).toBe(1)
  await world.server.endSession('s2')
  await expect.poll(() => world.receiver.received.length).toBe(2)

  expect(world.events.filter(({ type }) => type === 'delivery.unattended')).toHaveLength(1)
})

it('a message that failed is sent again after a later request, at most once a minute, although nobody called deliver', async () => {
  const world = await startLogoutWorld({ backChannelLogout: { afterRequests: true } })
  await world.register('a')
  await world.join('s1', 'a')
  await world.join('s2', 'a')
  world.receiver.setBehaviour('a.test', (response) => response.writeHead(500).end())
  await world.server.endSession('s1')
  await expect.poll(async () => (await world.deliveries('pending'))[0]?.attempts).toBe(1)
  world.receiver.setBehaviour('a.test', (response) => response.writeHead(204).end())

  world.clock.advance(120)
  await toFetchHandler(world.server)(new Request(`${issuer}/token`))

  await expect.poll(async () => (await world.deliveries('delivered')).length).toBe(1)
})

it('nothing is sent before deliver is called with afterRequests: false', async () => {
  const world = await startLogoutWorld({ backChannelLogout: { afterRequests: false } })
  await world.register('a')
  await world.join('s1', 'a')

  await world.server.endSession('s1')

  expect(await world.deliveries('pending')).toEqual([])
  expect((await world.server.deliverOnce()).delivered).toBe(1)
})

const administer = ({ storage, clock }: LogoutWorld) =>
  createAdministration({ storage, clock: clock.now }).as({ kind: 'host', id: 'tess' })

it('a worker that did not run for a week sends the messages that it missed, although expired rows were purged', async () => {
  const world = await startLogoutWorld()
  await world.register('a')
  await world.server.deliverOnce()
  await world.join('s1', 'a')
  await world.revoke('s1')
  world.clock.advance(7 * 86_400)
  while (!(await world.storage.purge.purgeExpired({ now: world.clock.now(), limit: 1000 })).done);

  await world.server.deliverOnce()

  expect(world.receiver.received.map(({ host }) => host)).toEqual(['a.test'])
  expect(world.events.filter(({ type }) => type === 'delivery.gap')).toEqual([])
})

it('a worker whose position was lost sends no logout token again, although expired rows were purged', async () => {
  const storage = createMemoryStorage({ issuer })
  let isLost = false
  const cursors = {
    ...storage.cursors,
    read: (consumer: string) => (isLost ? Promise.resolve(undefined) : storage.cursors.read(consumer)),
  }
  const world = await startLogoutWorld({ storage: { ...storage, cursors } })
  await world.register('a')
  await world.join('s1', 'a')
  await world.revoke('s1')
  await world.server.deliverOnce()
  isLost = true

  for (let day = 1; day <= 9; day += 1) {
    world.clock.advance(86_400)
    while (!(await storage.purge.purgeExpired({ now: world.clock.now(), limit: 1000 })).done);
    await world.server.deliverOnce()
  }

  expect(world.receiver.received).toHaveLength(1)
  expect(await world.deliveries('delivered')).toEqual([])
})

it('a worker that did not run for longer than revocations are kept reports the gap', async () => {
  const world = await startLogoutWorld()
  await world.register('a')
  await world.join('s1', 'a')
  await world.revoke('s1')
  await world.server.deliverOnce()
  const since = world.clock.now()
  world.clock.advance(691_800)
  await world.storage.purge.purgeExpired({ now: world.clock.now(), limit: 1000 })

  await world.server.deliverOnce()
  await world.server.deliverOnce()

  expect(world.events.filter(({ type }) => type === 'delivery.gap')).toMatchObject([{ channel: 'logout', since }])
})

describe('a server without back-channel logout', () => {
  it('refuses to deliver, and says which interface the storage lacks', async () => {
    const { deliveries: _deliveries, cursors: _cursors, ...storage } = createMemoryStorage({ issuer })
    const { server } = await startLogoutWorld({ storage: storage as AdminStorage })

    await expect(server.deliver({ signal: AbortSignal.abort() })).rejects.toThrow('`deliveries`, `cursors`')
    await expect(server.deliverOnce()).rejects.toThrow('Provide every store of `DeliveryStorage`')
  })

  it('refuses the option at start-up when the storage has no deliveries', async () => {
    const { deliveries: _deliveries, ...storage } = createMemoryStorage({ issuer })

    await expect(startLogoutWorld({ storage: storage as AdminStorage, backChannelLogout: {} })).rejects.toThrow(
      'backChannelLogout needs a storage with `deliveries`',
    )
  })

  it('refuses to deliver when the option is off', async () => {
    const { changes: _, webhooks: _none, ...storage } = createMemoryStorage({ issuer })
    const { server } = await startLogoutWorld({ backChannelLogout: false, storage: storage as AdminStorage })

    await expect(server.deliverOnce()).rejects.toThrow('there is nothing to send')
  })
})

/** A worker whose pauses end when the test says so. */
interface Loop {
  readonly worker: DeliveryWorker
  /** Resolves when the loop pauses. */
  paused(): Promise<void>
  /** Ends the pause. */
  tick(): void
  /** Ends the pause, and resolves at the next one. */
  next(): Promise<void>
  /** Resolves when an event of this type was reported. */
  until(type: ServerOccurrence['type']): Promise<void>
  stop(): Promise<void>
}

/** Starts a world in which five sessions of one client have ended, and no worker runs yet. */
async function startWorldWithSignOuts(): Promise<LogoutWorld> {
  const world = await startLogoutWorld()
  await world.register('a')
  for (const session of ['s1', 's2', 's3', 's4', 's5']) {
    await world.join(session, 'a')
    await world.revoke(session)
  }
  return world
}

function startLoop(world: LogoutWorld, storage = world.storage): Loop {
  let end: (() => void) | undefined
  const waiting: (() => void)[] = []
  const pause = async (_milliseconds: number, signal: AbortSignal): Promise<void> => {
    await new Promise<void>((resolve) => {
      end = () => {
        end = undefined
        resolve()
      }
      signal.addEventListener('abort', () => end?.())
      for (const wake of waiting.splice(0)) wake()
    })
  }
  const paused = (): Promise<void> =>
    end === undefined
      ? new Promise((resolve) => {
          waiting.push(resolve)
        })
      : Promise.resolve()
  const { worker, until } = createWorker(world, storage, undefined, pause)
  const stopping = new AbortController()
  const running = worker.run({ signal: stopping.signal })

  return {
    worker,
    until,
    paused,
    tick: () => end?.(),
    next: () => {
      end?.()
      // Lets timers and sockets run.
      return new Promise((resolve) => setImmediate(resolve)).then(paused)
    },
    stop: () => {
      stopping.abort()
      return running
    },
  }
}

function createWorker(
  { keys, clock, receiver }: LogoutWorld,
  storage: AdminStorage,
  waitUntil?: (work: Promise<unknown>) => void,
  pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>,
) {
  const seen: string[] = []
  const waiting: { readonly type: string; readonly resolve: () => void }[] = []
  const announce = ({ type }: { readonly type: string }): void => {
    seen.push(type)
    for (const each of waiting) if (each.type === type) each.resolve()
  }
  const worker = createDeliveryWorker({
    issuer,
    storage,
    keys,
    clock: clock.now,
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    journal: { recordWithoutRequest: announce },
    outbound: createOutboundClient(receiver.fetch, { pending: 16, pendingPerHost: 2 }),
    encrypt: async (jwt) => jwt,
    watch: watchRevocations(storage.revocations),
    waitUntil,
    ...(pause !== undefined && { pause }),
  })
  const until = (type: ServerOccurrence['type']): Promise<void> =>
    seen.includes(type)
      ? Promise.resolve()
      : new Promise((resolve) => {
          waiting.push({ type, resolve })
        })
  return { worker, until }
}

/** Returns a storage that records the name of every call to it. */
function recording(storage: AdminStorage, calls: string[]): AdminStorage {
  const stores = Object.entries(storage).map(([name, store]: [string, unknown]) => {
    if (typeof store !== 'object' || store === null) return [name, store]
    const methods = Object.entries(store).map(([method, run]: [string, (...args: unknown[]) => unknown]) => [
      method,
      (...args: unknown[]) => {
        calls.push(`${name}.${method}`)
        return run(...args)
      },
    ])
    return [name, Object.fromEntries(methods) as object]
  })
  return Object.fromEntries(stores) as AdminStorage
}
