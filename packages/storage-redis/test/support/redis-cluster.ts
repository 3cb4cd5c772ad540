import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

import { startRedis, type RedisServer } from './redis-server.ts'

/** A real cluster of three masters on 127.0.0.1, which together serve all slots, and their replicas. */
export interface RedisCluster {
  readonly nodes: readonly RedisServer[]
  /** Waits until every node reports that the cluster is ready. */
  untilReady(): Promise<void>
  stop(): Promise<void>
}

export async function startRedisCluster({ replicasOfEach = 0 } = {}): Promise<RedisCluster> {
  const nodes = await Promise.all(
    Array.from({ length: 3 + 3 * replicasOfEach }, () =>
      startRedis({ 'cluster-enabled': 'yes', 'cluster-node-timeout': 5000, 'repl-diskless-sync-delay': 0 }),
    ),
  )
  await redisCli(
    '--cluster',
    'create',
    ...nodes.map(addressOf),
    '--cluster-replicas',
    String(replicasOfEach),
    '--cluster-yes',
  )

  const cluster = {
    nodes,
    untilReady: async () => void (await Promise.all(nodes.map(untilNodeReady))),
    stop: async () => void (await Promise.all(nodes.map((node) => node.stop()))),
  }
  await cluster.untilReady()
  return cluster
}

async function untilNodeReady({ port }: RedisServer): Promise<void> {
  const isReady = async () => {
    const [cluster, replication] = await Promise.all(
      [
        ['cluster', 'info'],
        ['info', 'replication'],
      ].map((words) => redisCli('-p', String(port), ...words)),
    )
    return cluster?.includes('cluster_state:ok') === true && replication?.includes('master_link_status:down') === false
  }
  const deadline = performance.now() + 30_000
  while (!(await isReady())) {
    if (performance.now() > deadline)
      throw new Error(`The cluster did not become ready: ${await redisCli('-p', String(port), 'cluster', 'nodes')}`)
  }
}

async function redisCli(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.env['REDIS_CLI_PATH'] ?? 'redis-cli', args, { timeout: 30_000 })
  return stdout
}

const addressOf = ({ port }: RedisServer): string => `127.0.0.1:${port}`
