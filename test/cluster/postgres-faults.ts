import type { Fault } from './faults.ts'
import type { Host } from './machine.ts'
import type { PatroniCluster } from './patroni.ts'

/** What can break in a PostgreSQL cluster, in the order in which a run breaks it. */
export function postgresFaults(cluster: PatroniCluster, servers: readonly Fault[]): readonly Fault[] {
  const { databases, haproxy, pgbouncer } = cluster
  const others = (host: Host): readonly Host[] => databases.filter((each) => each !== host)
  const crash = async (host: Host) => {
    await host.signal('SIGKILL')
    return async () => {
      cluster.startEtcd(host)
      cluster.startPatroni(host)
    }
  }
  const stop = async (host: Host, ...names: readonly string[]) => {
    await host.signal('SIGSTOP', ...names)
    return async () => void (await host.signal('SIGCONT', ...names))
  }
  const cut = async (host: Host, peers: readonly Host[]) => {
    await host.cutFrom(peers)
    return host.reconnect
  }

  return [
    { name: 'the host of the primary crashes', seconds: 30, inject: async () => crash(await cluster.primary()) },
    {
      name: 'one member of etcd is killed',
      seconds: 10,
      inject: async () => {
        const host = await cluster.primary()
        await host.signal('SIGKILL', 'etcd')
        return async () => void cluster.startEtcd(host)
      },
    },
    {
      name: 'HAProxy is killed, and started again after 5 s',
      seconds: 5,
      inject: async () => {
        await haproxy.signal('SIGKILL')
        return async () => void cluster.startHaproxy()
      },
    },
    {
      name: 'PgBouncer is killed, and started again after 5 s',
      seconds: 5,
      inject: async () => {
        await pgbouncer.signal('SIGKILL')
        return async () => void cluster.startPgbouncer()
      },
    },
    {
      name: 'PostgreSQL of the primary is killed',
      seconds: 15,
      inject: async () => {
        await (await cluster.primary()).signal('SIGKILL', 'postgres')
        return async () => undefined
      },
    },
    {
      name: 'the primary is cut off from the other databases',
      seconds: 40,
      inject: async () => {
        const host = await cluster.primary()
        return cut(host, others(host))
      },
    },
    {
      name: 'the primary is cut off from everything',
      seconds: 40,
      inject: async () => {
        const host = await cluster.primary()
        return cut(host, [...others(host), haproxy, pgbouncer])
      },
    },
    {
      name: 'the host of the primary stands still for 30 s',
      seconds: 30,
      inject: async () => stop(await cluster.primary()),
    },
    {
      name: 'PostgreSQL of the synchronous standby stands still for 20 s',
      seconds: 20,
      inject: async () => stop(await cluster.synchronousStandby(), 'postgres'),
    },
    {
      name: 'the host of the synchronous standby crashes',
      seconds: 20,
      inject: async () => crash(await cluster.synchronousStandby()),
    },
    ...servers,
  ]
}
