import type { Fault } from './faults.ts'
import type { GaleraCluster } from './galera-nodes.ts'
import type { Host } from './machine.ts'

/** What can break in Galera, in the order in which a run breaks it. */
export function galeraFaults(cluster: GaleraCluster): readonly Fault[] {
  const { nodes } = cluster
  const others = (host: Host): readonly Host[] => nodes.filter((each) => each !== host)

  return [
    {
      name: 'the node that is written is killed',
      seconds: 15,
      inject: async () => {
        const host = await cluster.writer()
        await host.signal('SIGKILL', 'mariadbd')
        return async () => void cluster.startNode(host)
      },
    },
    {
      name: 'another node stands still for 20 s',
      seconds: 20,
      inject: async () => {
        const [host] = others(await cluster.writer())
        await host?.signal('SIGSTOP')
        return async () => void (await host?.signal('SIGCONT'))
      },
    },
    {
      name: 'the node that is written is cut off from the others, and not from the servers',
      seconds: 20,
      inject: async () => {
        const host = await cluster.writer()
        await host.cutFrom(others(host))
        return host.reconnect
      },
    },
    {
      name: 'the node that is written stands still for 20 s',
      seconds: 20,
      inject: async () => {
        const host = await cluster.writer()
        await host.signal('SIGSTOP')
        return async () => void (await host.signal('SIGCONT'))
      },
    },
    {
      name: 'the node that is written loses 15 % of its packets',
      seconds: 15,
      inject: async () => {
        const host = await cluster.writer()
        await host.losePackets(15)
        return host.reconnect
      },
    },
    {
      name: 'HAProxy is killed, and started again after 5 s',
      seconds: 5,
      inject: async () => {
        await cluster.haproxy.signal('SIGKILL')
        return async () => void cluster.startHaproxy()
      },
    },
  ]
}
