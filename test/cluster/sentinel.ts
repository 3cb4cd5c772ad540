// Redis as in docs/how-to/redis-sentinel-and-cluster.md: three hosts with Redis and Sentinel each.
import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { Redis } from 'ioredis'

import type { Host, Machine } from './machine.ts'
import type { Requirement } from './requirements.ts'
import type { RedisProtection } from './run-cluster.ts'
import { until } from './until.ts'

export const redisRequirements: readonly Requirement[] = [{ program: 'redis-server', debianPackage: 'redis-server' }]

/** Parts of the commands of the processes, which Redis completes with their addresses. */
export const redisProcess = ':6379'
export const sentinelProcess = '[sentinel]'
/** The name by which Sentinel knows the primary. */
export const primaryName = 'mintmark'
export const sentinelPort = 26_379

export interface RedisCluster {
  readonly hosts: readonly Host[]
  /** The host of the primary, according to the Sentinels. @throws Error if they disagree. */
  primary(): Promise<Host>
  startRedis(host: Host): ChildProcess
  startSentinel(host: Host): ChildProcess
  /** Waits until the Sentinels agree on a primary, and it has two replicas that follow. */
  readonly untilWhole: () => Promise<void>
}

export async function startRedisCluster(machine: Machine, protection: RedisProtection): Promise<RedisCluster> {
  const [first, ...others] = await Promise.all([11, 12, 13].map((number) => machine.host(`r${number - 10}`, number)))
  if (first === undefined) throw new Error('There is no host.')
  const hosts = [first, ...others]
  for (const host of hosts) {
    const primary = host === first ? undefined : first
    await host.write('redis.conf', redisConfiguration({ host, primary, protection }))
    await host.write('sentinel.conf', sentinelConfiguration(host, first))
  }

  const primary = async (): Promise<Host> => {
    const addresses = await Promise.all(hosts.map(primaryAccordingTo))
    const host = hosts.find(({ address }) => addresses.every((each) => each === address))
    if (host === undefined) throw new Error(`The Sentinels disagree: ${addresses.join(', ')}.`)
    return host
  }
  const cluster: RedisCluster = {
    hosts,
    primary,
    startRedis: (host) => host.start('redis-server', [join(host.folder, 'redis.conf')]),
    startSentinel: (host) => host.start('redis-server', [join(host.folder, 'sentinel.conf'), '--sentinel']),
    untilWhole: () => until('a primary has two replicas that follow', async () => hasReplicas(await primary())),
  }
  for (const host of hosts) cluster.startRedis(host)
  for (const host of hosts) cluster.startSentinel(host)
  await cluster.untilWhole()
  return cluster
}

const primaryAccordingTo = ({ address }: Host): Promise<string> =>
  withClient({ host: address, port: sentinelPort }, async (sentinel) => {
    const [found] = (await sentinel.call('SENTINEL', 'get-master-addr-by-name', primaryName)) as readonly string[]
    return found ?? ''
  })

const hasReplicas = ({ address }: Host): Promise<boolean> =>
  withClient({ host: address, port: 6379 }, async (redis) => {
    const info = await redis.info('replication')
    return [...info.matchAll(/state=online,offset=\d+,lag=[01]\b/g)].length === 2
  })

async function withClient<T>(
  { host, port }: { readonly host: string; readonly port: number },
  work: (client: Redis) => Promise<T>,
): Promise<T> {
  const client = new Redis({
    host,
    port,
    lazyConnect: true,
    connectTimeout: 1000,
    commandTimeout: 1000,
    retryStrategy: null,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    return await work(client)
  } finally {
    client.disconnect()
  }
}

interface RedisHost {
  readonly host: Host
  readonly primary: Host | undefined
  readonly protection: RedisProtection
}

const redisConfiguration = ({ host, primary, protection }: RedisHost): string => `
bind ${host.address}
port 6379
dir ${host.folder}
protected-mode no
save ""
appendonly yes
appendfsync everysec
maxmemory-policy noeviction
repl-diskless-sync-delay 0
repl-timeout 10
${primary === undefined ? '' : `replicaof ${primary.address} 6379`}
${protection === 'none' ? '' : 'min-replicas-to-write 1\nmin-replicas-max-lag 2'}
`

const sentinelConfiguration = ({ address, folder }: Host, primary: Host): string => `
bind ${address}
port ${sentinelPort}
dir ${folder}
protected-mode no
sentinel monitor ${primaryName} ${primary.address} 6379 2
sentinel down-after-milliseconds ${primaryName} 5000
sentinel failover-timeout ${primaryName} 20000
sentinel parallel-syncs ${primaryName} 1
`
