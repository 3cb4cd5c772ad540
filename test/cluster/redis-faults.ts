import type { Fault } from './faults.ts'
import type { Host } from './machine.ts'
import { redisProcess, sentinelProcess, type RedisCluster } from './sentinel.ts'

/**
 * What can break in Redis with Sentinel, in the order in which a run breaks it.
 * @param clients the address of the servers.
 */
export function redisFaults(cluster: RedisCluster, clients: Pick<Host, 'address'>): readonly Fault[] {
  const { hosts } = cluster
  const others = (host: Host): readonly Host[] => hosts.filter((each) => each !== host)
  const cut = async (host: Host, peers: readonly Pick<Host, 'address'>[]) => {
    await host.cutFrom(peers)
    return host.reconnect
  }

  return [
    {
      name: 'Redis of the primary is killed',
      seconds: 15,
      inject: async () => {
        const host = await cluster.primary()
        await host.signal('SIGKILL', redisProcess)
        return async () => void cluster.startRedis(host)
      },
    },
    {
      name: 'the primary is cut off from the other hosts, and not from the servers',
      seconds: 20,
      inject: async () => {
        const host = await cluster.primary()
        return cut(host, others(host))
      },
    },
    {
      name: 'the host of the primary stands still for 20 s',
      seconds: 20,
      inject: async () => {
        const host = await cluster.primary()
        await host.signal('SIGSTOP')
        return async () => void (await host.signal('SIGCONT'))
      },
    },
    {
      name: 'the primary is cut off from everything',
      seconds: 20,
      inject: async () => {
        const host = await cluster.primary()
        return cut(host, [...others(host), clients])
      },
    },
    {
      name: 'the Sentinel of the primary is killed',
      seconds: 8,
      inject: async () => {
        const host = await cluster.primary()
        await host.signal('SIGKILL', sentinelProcess)
        return async () => void cluster.startSentinel(host)
      },
    },
    {
      name: 'both replicas stand still for 8 s',
      seconds: 8,
      inject: async () => {
        const replicas = others(await cluster.primary())
        for (const host of replicas) await host.signal('SIGSTOP', redisProcess)
        return async () => {
          for (const host of replicas) await host.signal('SIGCONT', redisProcess)
        }
      },
    },
    {
      name: 'the primary loses 15 % of its packets',
      seconds: 15,
      inject: async () => {
        const host = await cluster.primary()
        await host.losePackets(15)
        return host.reconnect
      },
    },
  ]
}
