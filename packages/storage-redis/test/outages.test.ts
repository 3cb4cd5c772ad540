import { StorageUnavailableError } from '@mintmark/storage-interface'
import type { ExpiringStores } from '@mintmark/storage-interface/stores'
import { aCodeRecord, aDigest } from '@mintmark/storage-interface/fixtures'
import { RESP_TYPES } from 'redis'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'

import { createRedisStorage } from '../src/index.ts'
import { fill, reads, writes } from './support/every-operation.ts'
import { connectClient, connectCluster, connectIoRedis } from './support/redis-clients.ts'
import { startRedisCluster } from './support/redis-cluster.ts'
import { startRedis, type RedisServer } from './support/redis-server.ts'
import { freePort } from '../../../test/support/free-port.ts'

const issuer = 'https://issuer.example'

/** Runs each operation. Returns its result, the name of a `StorageUnavailableError`, or any other error. */
async function outcomesOf(
  operations: Readonly<Record<string, (stores: ExpiringStores) => Promise<unknown>>>,
  stores: ExpiringStores,
): Promise<Readonly<Record<string, unknown>>> {
  const outcomes = Object.entries(operations).map(async ([name, operate]) => {
    const outcome = await operate(stores).catch((error: unknown) =>
      error instanceof StorageUnavailableError ? error.name : error,
    )
    return [name, outcome] as const
  })
  return Object.fromEntries(await Promise.all(outcomes))
}

const all = { ...reads, ...writes }
const unavailable = (operations: object) =>
  Object.fromEntries(Object.keys(operations).map((name) => [name, 'StorageUnavailableError']))

describe('one server', () => {
  let server: RedisServer
  let client: Awaited<ReturnType<typeof connectClient>>
  let stores: ExpiringStores
  let healthy: Readonly<Record<string, unknown>>

  beforeEach(async () => {
    server = await startRedis()
    client = await connectClient(server)
    stores = createRedisStorage({ client, issuer })
    await fill(stores)
    healthy = await outcomesOf(reads, stores)
  })
  afterEach(async () => {
    client.destroy()
    await server.stop()
  })

  it.for([
    { reply: 'READONLY', cause: async () => client.sendCommand(['REPLICAOF', '127.0.0.1', String(await freePort())]) },
    { reply: 'NOREPLICAS', cause: () => client.configSet('min-replicas-to-write', '1') },
    { reply: 'NOPERM', cause: () => client.aclSetUser('default', ['-evalsha']) },
  ])('a server that answers $reply is an outage for every method, and loses no record', async ({ reply, cause }) => {
    await cause()

    const outcomes = await outcomesOf(all, stores)
    const thrown = await reads['codes.find']?.(stores).catch((error: unknown) => error)

    expect(outcomes).toEqual(unavailable(all))
    expect(causeOf(thrown)).toContain(reply)

    await client.sendCommand(['REPLICAOF', 'NO', 'ONE'])
    await client.configSet('min-replicas-to-write', '0')
    await client.aclSetUser('default', ['+evalsha'])
    expect(await outcomesOf(reads, stores)).toEqual(healthy)
  })

  it('a server whose memory is full is an outage for every method that writes, and answers reads', async () => {
    await client.configSet({ maxmemory: '1', 'maxmemory-policy': 'noeviction' })

    expect(await outcomesOf(writes, stores)).toEqual(unavailable(writes))
    expect(await outcomesOf(reads, stores)).toEqual(healthy)
  })

  it('a server that another script keeps busy is an outage for every method', async () => {
    await client.configSet('busy-reply-threshold', '1')
    const other = await connectClient(server)
    onTestFinished(() => other.destroy())
    const endless = other.eval('while true do end').catch((error: unknown) => error)

    // The server accepts the first call before it considers itself busy, and refuses the next calls.
    await reads['codes.find']?.(stores).catch(() => {})
    const outcomes = await outcomesOf(all, stores)

    expect(outcomes).toEqual(unavailable(all))
    const killer = await connectClient(server)
    onTestFinished(() => killer.destroy())
    await killer.sendCommand(['SCRIPT', 'KILL'])
    await endless
    expect(await outcomesOf(reads, stores)).toEqual(healthy)
  })

  it('a server that hangs is an outage for every method, within the configured time', async () => {
    const impatient = createRedisStorage({ client, issuer, timeoutMilliseconds: 100 })
    server.freeze()

    const outcomes = await outcomesOf(all, impatient)
    const thrown = await reads['codes.find']?.(impatient).catch((error: unknown) => error)

    expect(outcomes).toEqual(unavailable(all))
    expect(thrown).toMatchObject({ message: 'Redis did not answer within 100 ms.' })
    server.thaw()
  })

  it('a server that was killed is an outage for every method, and has every record after a restart', async () => {
    await server.kill()
    expect(await outcomesOf(all, stores)).toEqual(unavailable(all))

    const ready = isReadyAgain(client)
    await server.restart()
    await ready

    expect(await outcomesOf(reads, stores)).toEqual(healthy)
    expect(
      await stores.codes.consume(aCodeRecord().digest, aCodeRecord().clientId, aCodeRecord().issuedAt),
    ).toMatchObject({ outcome: 'won' })
  })

  it('a server that is still loading its data answers LOADING, which is an outage for every method', async () => {
    const codes = Array.from({ length: 300 }, (_, index) => aCodeRecord({ digest: aDigest(`code-${index}-`) }))
    await Promise.all(codes.map((code) => stores.codes.insert(code)))
    await client.sendCommand(['SAVE'])
    await server.kill()

    const ready = isReadyAgain(client)
    // Loads slowly: takes 4 ms for each of 300 records, and answers clients in between.
    const restarted = server.restart({
      appendonly: 'no',
      'key-load-delay': 4000,
      'loading-process-events-interval-bytes': 1024,
    })
    await ready
    const thrown = await reads['codes.find']?.(stores).catch((error: unknown) => error)
    const outcomes = await outcomesOf(all, stores)
    await restarted

    expect(outcomes).toEqual(unavailable(all))
    expect(causeOf(thrown)).toContain('LOADING')
    expect(await outcomesOf(reads, stores)).toEqual(healthy)
  })

  it('a closed client is an outage for every method', async () => {
    const closed = await connectClient(server)
    const orphaned = createRedisStorage({ client: closed, issuer })
    closed.destroy()

    expect(await outcomesOf(all, orphaned)).toEqual(unavailable(all))
  })

  it('a server that was killed is an outage for every method through ioredis too', async () => {
    const ioRedis = await connectIoRedis(server)
    onTestFinished(() => ioRedis.disconnect())
    const ioRedisStores = createRedisStorage({ client: ioRedis, issuer })
    expect(await outcomesOf(reads, ioRedisStores)).toEqual(healthy)
    await server.kill()

    expect(await outcomesOf(all, ioRedisStores)).toEqual(unavailable(all))
  })

  it('sends a script again when the server no longer has it', async () => {
    await client.scriptFlush()

    expect(await outcomesOf(reads, stores)).toEqual(healthy)
  })

  it('reports a key of the wrong type, and a client that maps replies, as defects and not as outages', async () => {
    const [key] = await client.keys('*:code:*')
    await client.set(key ?? '', 'a')
    const mapped = createRedisStorage({ client: client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer }), issuer })

    await expect(reads['codes.find']?.(stores)).rejects.toThrow('WRONGTYPE')
    await expect(reads['opaqueTokens.find']?.(mapped)).rejects.toThrow(TypeError)
  })

  it('codes that were being redeemed when the server was killed are won at most once, and are never absent', async () => {
    const codes = Array.from({ length: 200 }, (_, index) => aCodeRecord({ digest: aDigest(`code-${index}-`) }))
    await Promise.all(codes.map((code) => stores.codes.insert(code)))
    let answered = 0
    let killing: Promise<void> | undefined

    const present = async ({ digest, clientId, issuedAt }: (typeof codes)[number]) => {
      const result = await stores.codes.consume(digest, clientId, issuedAt).catch((error: unknown) => error)
      answered += 1
      // Mid-way: some have been answered, some are under way, some are not sent yet.
      if (answered === 20) killing = server.kill()
      return result
    }
    const first = await inWaves(codes, present)
    await killing
    const ready = isReadyAgain(client)
    await server.restart()
    await ready
    const second = await inWaves(codes, present)

    const pairs = codes.map((_, index) => `${labelOf(first[index])}, ${labelOf(second[index])}`)
    expect(
      pairs.filter((pair) => !['won, replayed', 'unavailable, won', 'unavailable, replayed'].includes(pair)),
    ).toEqual([])
    expect(pairs).toContain('won, replayed')
    expect(pairs).toContain('unavailable, won')
  })
})

/** The client also emits errors while it reconnects: `once` of Node would reject. */
const isReadyAgain = (client: { once(event: 'ready', listener: () => void): unknown }): Promise<void> =>
  new Promise((resolve) => void client.once('ready', resolve))

/** Works on ten items at a time. */
async function inWaves<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = []
  for (let start = 0; start < items.length; start += 10) {
    results.push(...(await Promise.all(items.slice(start, start + 10).map(work))))
  }
  return results
}

const causeOf = (thrown: unknown): string =>
  thrown instanceof StorageUnavailableError ? String(thrown.cause) : 'no outage'

function labelOf(result: unknown): string {
  if (result instanceof StorageUnavailableError) return 'unavailable'
  return result instanceof Error ? String(result) : (result as { readonly outcome: string }).outcome
}

describe('a cluster', () => {
  it('a node that serves no slots answers CLUSTERDOWN, which is an outage for every method', async () => {
    const node = await startRedis({ 'cluster-enabled': 'yes', 'cluster-port': await freePort() })
    onTestFinished(() => node.stop())
    const client = await connectClient(node)
    onTestFinished(() => client.destroy())

    const outcomes = await outcomesOf(all, createRedisStorage({ client, issuer }))

    expect(outcomes).toEqual(unavailable(all))
  })

  it('a master that was killed is an outage only for its keys, and no code gets a wrong answer', async () => {
    const cluster = await startRedisCluster()
    onTestFinished(() => cluster.stop())
    const client = await connectCluster(cluster)
    onTestFinished(() => client.destroy())
    const stores = createRedisStorage({ client, issuer })
    const codes = Array.from({ length: 60 }, (_, index) => aCodeRecord({ digest: aDigest(`code-${index}-`) }))
    await Promise.all(codes.map((code) => stores.codes.insert(code)))
    await cluster.nodes[0]?.kill()

    const found = await Promise.all(
      codes.map(({ digest, clientId, issuedAt }) =>
        stores.codes.find(digest, clientId, issuedAt).catch((error: unknown) => error),
      ),
    )

    const answers = found.map((answer) => (answer instanceof StorageUnavailableError ? 'unavailable' : answer))
    expect(answers.filter((answer) => answer === undefined)).toEqual([])
    expect(answers).toContain('unavailable')
    expect(
      codes.filter(
        (code, index) => answers[index] !== 'unavailable' && JSON.stringify(answers[index]) !== JSON.stringify(code),
      ),
    ).toEqual([])
  })
})
