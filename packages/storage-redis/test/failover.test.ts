import { composeStorage } from '@mintmark/storage-interface'
import { aCodeRecord, aDigest, aFamilyRecord } from '@mintmark/storage-interface/fixtures'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import type { Redis } from 'ioredis'
import { createClient } from 'redis'
import { describe, expect, it, onTestFinished } from 'vitest'

import { createRedisStorage } from '../src/index.ts'
import { connectClient, connectIoRedis } from './support/redis-clients.ts'
import { startRedis, type RedisServer } from './support/redis-server.ts'

const issuer = 'https://issuer.example'
const code = aCodeRecord()
const { digest, clientId, familyId, issuedAt: now } = code

// The losses that the documentation of createRedisStorage describes, and their limits.

it('a failover before replication loses a consumed mark, and the durable storage still creates one family', async () => {
  const { master, atMaster, atReplica } = await startPair()
  const durable = createMemoryStorage({ issuer })
  const before = composeStorage({ durable, expiring: createRedisStorage({ client: atMaster, issuer }) })
  const after = composeStorage({ durable, expiring: createRedisStorage({ client: atReplica, issuer }) })
  await before.codes.insert(code)
  await atMaster.sendCommand(['WAIT', '1', '0'])

  // The replica takes over, while a server still talks to the master that was cut off.
  await atReplica.sendCommand(['REPLICAOF', 'NO', 'ONE'])
  const first = await before.codes.consume(digest, clientId, now)
  const created = await before.families.insert(aFamilyRecord({ familyId }))
  await master.kill()
  const second = await after.codes.consume(digest, clientId, now)
  const createdAgain = await after.families.insert(aFamilyRecord({ familyId }))

  expect([first.outcome, second.outcome]).toEqual(['won', 'won'])
  expect([created.outcome, createdAgain.outcome]).toEqual(['inserted', 'revoked'])
})

it('a failover after replication loses nothing', async () => {
  const { master, atMaster, atReplica } = await startPair()
  await createRedisStorage({ client: atMaster, issuer }).codes.insert(code)

  const first = await createRedisStorage({ client: atMaster, issuer }).codes.consume(digest, clientId, now)
  await atMaster.sendCommand(['WAIT', '1', '0'])
  await master.kill()
  await atReplica.sendCommand(['REPLICAOF', 'NO', 'ONE'])
  const second = await createRedisStorage({ client: atReplica, issuer }).codes.consume(digest, clientId, now)

  expect(first).toEqual({ outcome: 'won', record: code })
  expect(second).toEqual({ outcome: 'replayed', record: code })
})

it('reports an outage when a replica has fallen behind and min-replicas-to-write is set', async () => {
  const { replica, atMaster } = await startPair()
  const stores = createRedisStorage({ client: atMaster, issuer })
  await stores.codes.insert(code)
  await atMaster.configSet({ 'min-replicas-to-write': '1', 'min-replicas-max-lag': '1' })

  replica.freeze()
  await waitForRefusedWrites(atMaster)

  await expect(stores.codes.consume(digest, clientId, now)).rejects.toMatchObject({ name: 'StorageUnavailableError' })
  await expect(stores.codes.find(digest, clientId, now)).rejects.toMatchObject({ name: 'StorageUnavailableError' })
})

describe('waitForReplicas: 1', () => {
  const options = { issuer, waitForReplicas: 1, timeoutMilliseconds: 400 }

  it.each(['node-redis', 'ioredis'])('a write that was confirmed survives a failover (%s)', async (kind) => {
    const { master, replica, atMaster, atReplica } = await startPair()
    const client = kind === 'ioredis' ? await aConnectedIoRedis(master) : atMaster
    const before = createRedisStorage({ ...options, client })
    await before.codes.insert(code)

    replica.freeze()
    const unconfirmed = await before.codes.consume(digest, clientId, now).catch((error: unknown) => error)
    replica.thaw()
    const first = await before.codes.consume(digest, clientId, now)
    await master.kill()
    await atReplica.sendCommand(['REPLICAOF', 'NO', 'ONE'])
    const second = await createRedisStorage({ client: atReplica, issuer }).codes.consume(digest, clientId, now)

    expect(unconfirmed).toMatchObject({ name: 'StorageUnavailableError' })
    expect([first.outcome, second.outcome]).toEqual(['replayed', 'replayed'])
  })

  it('is an outage for every write without a replica, and reads need none', async () => {
    const { replica, atMaster } = await startPair()
    const stores = createRedisStorage({ ...options, client: atMaster })
    await stores.codes.insert(code)

    await replica.kill()

    await expect(stores.codes.find(digest, clientId, now)).resolves.toEqual(code)
    await expect(stores.codes.consume(digest, clientId, now)).rejects.toMatchObject({ name: 'StorageUnavailableError' })
  })

  it('does not send a write whose caller has given up before its turn', async () => {
    const { replica, atMaster } = await startPair()
    const stores = createRedisStorage({ ...options, client: atMaster })
    const digests = ['1', '2', '3', '4', '5', '6'].map(aDigest)
    for (const each of digests) await stores.codes.insert(aCodeRecord({ digest: each }))

    replica.freeze()
    const refused = await Promise.allSettled(digests.map((each) => stores.codes.consume(each, clientId, now)))
    replica.thaw()
    const outcomes = await Promise.all(digests.map((each) => stores.codes.consume(each, clientId, now)))

    expect(refused.map(({ status }) => status)).toEqual(digests.map(() => 'rejected'))
    expect(outcomes[0]?.outcome).toBe('replayed')
    expect(outcomes.at(-1)?.outcome).toBe('won')
  })

  it('refuses a client that cannot send two commands together', () => {
    const { evalSha, eval: evaluate } = createClient()

    expect(() => createRedisStorage({ issuer, client: { evalSha, eval: evaluate }, waitForReplicas: 1 })).toThrow(
      'createRedisStorage: waitForReplicas needs a client that can send two commands together.',
    )
  })
})

async function aConnectedIoRedis(server: RedisServer): Promise<Redis> {
  const client = await connectIoRedis(server)
  onTestFinished(() => client.disconnect())
  return client
}

type Connection = Awaited<ReturnType<typeof connectClient>>

interface Pair {
  readonly master: RedisServer
  readonly replica: RedisServer
  readonly atMaster: Connection
  readonly atReplica: Connection
}

/** Starts a master and a replica, and waits until the replica has all data of the master. */
async function startPair(): Promise<Pair> {
  const master = await startRedis({ 'repl-diskless-sync-delay': 0 })
  onTestFinished(() => master.stop())
  const replica = await startRedis({ replicaof: `127.0.0.1 ${master.port}` })
  onTestFinished(() => replica.stop())
  const atMaster = await connectClient(master)
  onTestFinished(() => atMaster.destroy())
  const atReplica = await connectClient(replica)
  onTestFinished(() => atReplica.destroy())
  await atMaster.set('synchronised', 'yes')
  // A timeout of 0 means no limit: the command returns when the replica has the write.
  await atMaster.sendCommand(['WAIT', '1', '0'])
  return { master, replica, atMaster, atReplica }
}

/** Waits until the master refuses writes, a second or two after its replica stopped answering. */
async function waitForRefusedWrites(client: Connection): Promise<void> {
  const write = async () => client.set('probe', 'x').catch((error: unknown) => String(error))
  for (let answer = await write(); !answer?.includes('NOREPLICAS'); answer = await write());
}
