// MariaDB Galera as in docs/how-to/mariadb-galera.md: three nodes, and HAProxy, which leads to one of them.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { createConnection, type RowDataPacket } from 'mysql2/promise'

import type { Host, Machine } from './machine.ts'
import type { Requirement } from './requirements.ts'
import { until } from './until.ts'

const provider = '/usr/lib/galera/libgalera_smm.so'

export const galeraRequirements: readonly Requirement[] = [
  { program: 'mariadbd', debianPackage: 'mariadb-server' },
  { program: 'mariadb', debianPackage: 'mariadb-client' },
  { program: 'rsync', debianPackage: 'rsync' },
  { program: 'haproxy', debianPackage: 'haproxy' },
]

export interface GaleraCluster {
  readonly nodes: readonly Host[]
  readonly haproxy: Host
  /** The addresses of the nodes. */
  readonly urls: readonly string[]
  /** The address of HAProxy, which leads to one node. */
  readonly urlOfOne: string
  /** The node to which HAProxy leads. @throws Error if there is none, or if older connections lead to another one. */
  writer(): Promise<Host>
  startNode(host: Host): ChildProcess
  startHaproxy(): ChildProcess
  /** Waits until all nodes are synchronized. */
  readonly untilWhole: () => Promise<void>
}

export async function startGaleraCluster(machine: Machine): Promise<GaleraCluster> {
  const nodes = await Promise.all([11, 12, 13].map((number) => machine.host(`g${number - 10}`, number)))
  const haproxy = await machine.host('haproxy', 21)
  const [first] = nodes
  if (first === undefined) throw new Error('There is no node.')
  const startNode = (host: Host, ...words: readonly string[]): ChildProcess =>
    host.start('mariadbd', [`--defaults-file=${join(host.folder, 'my.cnf')}`, ...words])

  for (const node of nodes) {
    await node.write('my.cnf', nodeConfiguration(node, nodes))
    await node.run('mkdir', [dataOf(node), temporaryOf(node)])
  }
  await install(first)
  startNode(first, '--wsrep-new-cluster')
  await until('the first node is synchronized', () => isSynced(first, 1))
  for (const node of nodes.slice(1)) startNode(node)
  await until('three nodes are synchronized', () => areAllSynced(nodes))
  await first.run('mariadb', [...clientOf(first), '-e', 'CREATE DATABASE mintmark'])

  await haproxy.write('check.sh', checkScript)
  await chmod(join(haproxy.folder, 'check.sh'), 0o755)
  await haproxy.write('haproxy.cfg', haproxyConfiguration(haproxy, nodes))
  const startHaproxy = (): ChildProcess => haproxy.start('/usr/sbin/haproxy', ['-f', 'haproxy.cfg', '-db'])
  startHaproxy()
  const urlOf = ({ address }: Host): string => `mysql://root@${address}:3306/mintmark`
  await until('HAProxy leads to a node', () => answers(haproxy))
  return {
    nodes,
    haproxy,
    urls: nodes.map(urlOf),
    urlOfOne: urlOf(haproxy),
    async writer() {
      const name = await ask(haproxy.address, 'SELECT @@wsrep_node_name AS value')
      const node = nodes.find((each) => each.name === name)
      if (node === undefined) throw new Error('HAProxy leads to no node.')
      const others = nodes.filter((each) => each !== node)
      await until(`older connections lead to ${node.name} as well`, () => areUnused(others, haproxy), 10)
      return node
    },
    startNode,
    startHaproxy,
    untilWhole: () => until('three nodes are synchronized', () => areAllSynced(nodes)),
  }
}

const clientOf = ({ address }: Host): readonly string[] => ['-h', address, '-u', 'root', '--connect-timeout=2']

const dataOf = ({ folder }: Pick<Host, 'folder'>): string => join(folder, 'data')

/** A server that starts deletes the files of others in its temporary folder. */
const temporaryOf = ({ folder }: Pick<Host, 'folder'>): string => join(folder, 'temporary')

async function install(host: Host): Promise<void> {
  await host.run('mariadb-install-db', [
    '--no-defaults',
    `--datadir=${dataOf(host)}`,
    `--tmpdir=${temporaryOf(host)}`,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
  ])
  // The other nodes copy this.
  const grants = `FLUSH PRIVILEGES;\nCREATE USER root@'%';\nGRANT ALL ON *.* TO root@'%' WITH GRANT OPTION;\n`
  await host.write('grants.sql', grants)
  const words = ['--no-defaults', '--bootstrap', `--datadir=${dataOf(host)}`, `--tmpdir=${temporaryOf(host)}`]
  const child = host.start('sh', ['-c', `/usr/sbin/mariadbd ${words.join(' ')} < grants.sql`])
  await once(child, 'exit')
}

const areAllSynced = async (nodes: readonly Host[]): Promise<boolean> =>
  (await Promise.all(nodes.map((node) => isSynced(node, nodes.length)))).every((isSo) => isSo)

const isSynced = async ({ address }: Host, size: number): Promise<boolean> =>
  (await ask(address, stateQuery)) === `${size} nodes, state 4`

/** Whether HAProxy has no connection to these nodes. */
const areUnused = async (nodes: readonly Host[], haproxy: Host): Promise<boolean> => {
  const query = `SELECT count(*) AS value FROM information_schema.processlist WHERE host LIKE '${haproxy.address}:%' AND db = 'mintmark'`
  return (await Promise.all(nodes.map(({ address }) => ask(address, query)))).every((count) => count === '0')
}

const answers = async ({ address }: Host): Promise<boolean> => (await ask(address, 'SELECT 1 AS value')) !== undefined

/** 4 is `Synced`. A node that stood still, and that the others have left out, still says so: the others know the size. */
const stateQuery = `SELECT concat(max(CASE variable_name WHEN 'WSREP_CLUSTER_SIZE' THEN variable_value END), ' nodes, state ',
    max(CASE variable_name WHEN 'WSREP_LOCAL_STATE' THEN variable_value END)) AS value
  FROM information_schema.global_status WHERE variable_name IN ('WSREP_CLUSTER_SIZE', 'WSREP_LOCAL_STATE')`

interface Answer extends RowDataPacket {
  readonly value: string | number
}

async function ask(host: string, query: string): Promise<string | undefined> {
  const connection = await createConnection({ host, user: 'root', connectTimeout: 1500 })
  connection.on('error', () => {})
  try {
    const [[row]] = await connection.query<Answer[]>({ sql: query, timeout: 1500 })
    return row === undefined ? undefined : String(row.value)
  } finally {
    connection.destroy()
  }
}

const nodeConfiguration = ({ name, address, folder }: Host, nodes: readonly Host[]): string => `
[mysqld]
datadir=${dataOf({ folder })}
tmpdir=${temporaryOf({ folder })}
socket=${join(folder, 'socket')}
pid-file=${join(folder, 'pid')}
bind-address=${address}
port=3306
skip-name-resolve
max_connections=80
innodb_buffer_pool_size=64M
innodb_log_file_size=32M
# The page says 1. No two nodes are killed here at once, and all share one disk.
innodb_flush_log_at_trx_commit=0
innodb_autoinc_lock_mode=2
binlog_format=ROW
wsrep_on=ON
wsrep_provider=${provider}
wsrep_cluster_name=mintmark
wsrep_cluster_address=gcomm://${nodes.map((node) => node.address).join(',')}
wsrep_node_address=${address}
wsrep_node_name=${name}
wsrep_sst_method=rsync
wsrep_provider_options="gcache.size=64M;repl.causal_read_timeout=PT5S"
`

/** A node that is not in the majority, or not yet, is not used. */
const checkScript = `#!/bin/sh
/usr/bin/mariadb -h "$3" -u root --connect-timeout=1 -N -e "SHOW STATUS LIKE 'wsrep_local_state'" 2>/dev/null | /bin/grep -q '4$'
`

const haproxyConfiguration = ({ address, folder }: Host, nodes: readonly Host[]): string => `
global
  external-check
  insecure-fork-wanted
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 2s
listen writer
  bind ${address}:3306
  # All connections lead to one server, and stay there when an earlier one is back. A full table would keep the earlier one.
  stick-table type integer size 100
  stick on dst_port
  option external-check
  external-check path "/usr/bin:/bin"
  external-check command ${join(folder, 'check.sh')}
  default-server inter 1s fall 2 rise 2 on-marked-down shutdown-sessions
${nodes.map((node, index) => `  server ${node.name} ${node.address}:3306 check${index === 0 ? '' : ' backup'}`).join('\n')}
`
