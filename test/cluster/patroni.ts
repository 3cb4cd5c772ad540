// A PostgreSQL cluster as in docs/how-to/postgresql-with-automatic-failover.md: three hosts with PostgreSQL, Patroni and
// etcd each, HAProxy, and PgBouncer in transaction mode.
import type { ChildProcess } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import type { Host, Machine } from './machine.ts'
import type { Requirement } from './requirements.ts'
import { until } from './until.ts'

export const patroniRequirements: readonly Requirement[] = [
  { program: 'patroni', debianPackage: 'patroni' },
  { program: 'etcd', debianPackage: 'etcd-server' },
  { program: 'haproxy', debianPackage: 'haproxy' },
  { program: 'pgbouncer', debianPackage: 'pgbouncer' },
  { program: '/usr/lib/postgresql/15/bin/postgres', debianPackage: 'postgresql-15' },
]

/** A member as Patroni reports it. */
interface Member {
  readonly name: string
  readonly role: string
  readonly state: string
}

export interface PatroniCluster {
  readonly databases: readonly Host[]
  readonly haproxy: Host
  readonly pgbouncer: Host
  /** The address of PgBouncer, which Mintmark uses. */
  readonly url: string
  /** The address of HAProxy. */
  readonly urlWithoutPooler: string
  /** The host of the primary, according to Patroni. @throws Error if there is none. */
  primary(): Promise<Host>
  /** The host of the synchronous standby. @throws Error if there is none. */
  synchronousStandby(): Promise<Host>
  startEtcd(host: Host): ChildProcess
  startPatroni(host: Host): ChildProcess
  startHaproxy(): ChildProcess
  startPgbouncer(): ChildProcess
  /** Waits until there are a primary, a synchronous standby and another standby. */
  readonly untilWhole: () => Promise<void>
}

/** Which Patroni runs, and how it talks to etcd. */
export interface PatroniProgram {
  readonly program: string
  readonly protocol: 'etcd' | 'etcd3'
}

/**
 * Patroni 3.0.2 of Debian 12. With its protocol `etcd3`, a primary that was cut off writes itself into etcd as the leader when it is
 * connected again (`_update_leader` in patroni/dcs/etcd3.py compares nothing), and confirmed writes are lost. With `etcd` it compares.
 */
export const patroniOfDebian: PatroniProgram = { program: 'patroni', protocol: 'etcd' }

export async function startPatroniCluster(machine: Machine, patroni: PatroniProgram): Promise<PatroniCluster> {
  const databases = await Promise.all([11, 12, 13].map((number) => machine.host(`pg${number - 10}`, number)))
  const haproxy = await machine.host('haproxy', 21)
  const pgbouncer = await machine.host('bouncer', 31)
  await Promise.all([
    ...databases.map((host) =>
      writeFile(join(host.folder, 'patroni.json'), patroniConfiguration(host, databases, patroni.protocol)),
    ),
    writeFile(join(haproxy.folder, 'haproxy.cfg'), haproxyConfiguration(haproxy, databases)),
    writeFile(join(pgbouncer.folder, 'pgbouncer.ini'), pgbouncerConfiguration(pgbouncer, haproxy)),
  ])

  const hostOfRole = async (role: string): Promise<Host> => {
    const member = (await membersOf(databases)).find((each) => each.role === role && isRunning(each))
    const host = databases.find(({ name }) => name === member?.name)
    if (host === undefined) throw new Error(`There is no ${role}.`)
    return host
  }
  const cluster: PatroniCluster = {
    databases,
    haproxy,
    pgbouncer,
    url: `postgres://mintmark@${pgbouncer.address}:6432/mintmark`,
    urlWithoutPooler: `postgres://mintmark@${haproxy.address}:5432/mintmark`,
    primary: () => hostOfRole('leader'),
    synchronousStandby: () => hostOfRole('sync_standby'),
    startEtcd: (host) => host.start('etcd', etcdArguments(host, databases)),
    startPatroni: (host) => host.start(patroni.program, ['patroni.json']),
    startHaproxy: () => haproxy.start('/usr/sbin/haproxy', ['-f', 'haproxy.cfg', '-db']),
    startPgbouncer: () => pgbouncer.start('/usr/sbin/pgbouncer', ['pgbouncer.ini']),
    untilWhole: () => until('Patroni reports three sound members', async () => isWhole(await membersOf(databases))),
  }

  for (const host of databases) cluster.startEtcd(host)
  for (const host of databases) {
    cluster.startPatroni(host)
    // Only one of them may create the database; the others copy it.
    await pause(500)
  }
  cluster.startHaproxy()
  await cluster.untilWhole()
  await createDatabase(await cluster.primary())
  cluster.startPgbouncer()
  return cluster
}

const isRunning = ({ state }: Member): boolean => ['running', 'streaming'].includes(state)

const isWhole = (members: readonly Member[]): boolean =>
  members.length === 3 &&
  members.every(isRunning) &&
  ['leader', 'sync_standby', 'replica'].every((role) => members.some((member) => member.role === role))

/** Asks the primary: a member that was cut off still reports the members that it knew. */
async function membersOf(databases: readonly Host[]): Promise<readonly Member[]> {
  for (const { address } of databases) {
    try {
      const { ok } = await ask(`http://${address}:8008/primary`)
      if (!ok) continue
      const { members } = (await (await ask(`http://${address}:8008/cluster`)).json()) as {
        readonly members: readonly Member[]
      }
      return members
    } catch {
      // This member has no answer.
    }
  }
  return []
}

const ask = (url: string): Promise<Response> => fetch(url, { signal: AbortSignal.timeout(2000) })

async function createDatabase(primary: Host): Promise<void> {
  const psql = ['-h', primary.address, '-U', 'postgres', '-d', 'postgres', '-c']
  await primary.run('psql', [...psql, 'CREATE ROLE mintmark LOGIN'])
  await primary.run('psql', [...psql, 'CREATE DATABASE mintmark OWNER mintmark'])
}

const etcdArguments = ({ name, address, folder }: Host, databases: readonly Host[]): readonly string[] => [
  '--name',
  name,
  '--data-dir',
  join(folder, 'etcd'),
  '--listen-client-urls',
  `http://${address}:2379`,
  '--advertise-client-urls',
  `http://${address}:2379`,
  '--listen-peer-urls',
  `http://${address}:2380`,
  '--initial-advertise-peer-urls',
  `http://${address}:2380`,
  '--initial-cluster',
  databases.map((host) => `${host.name}=http://${host.address}:2380`).join(','),
  // The protocol that Patroni calls `etcd`.
  '--enable-v2=true',
  // Slow, because two cores carry the whole cluster.
  '--heartbeat-interval',
  '300',
  '--election-timeout',
  '3000',
]

function patroniConfiguration(
  { name, address, folder }: Host,
  databases: readonly Host[],
  protocol: PatroniProgram['protocol'],
): string {
  const roles = { superuser: { username: 'postgres' }, replication: { username: 'replicator' } }
  return JSON.stringify({
    scope: 'mintmark',
    name,
    restapi: { listen: `${address}:8008`, connect_address: `${address}:8008` },
    [protocol]: { hosts: databases.map((host) => `${host.address}:2379`) },
    bootstrap: {
      dcs: {
        ttl: 20,
        loop_wait: 5,
        retry_timeout: 5,
        // A write is confirmed when a second host has it, and only that host may become the primary. Without a second host,
        // nothing is confirmed.
        synchronous_mode: true,
        synchronous_mode_strict: true,
        // The process of a primary that has crashed is not started again first: another host takes over at once.
        primary_start_timeout: 0,
        postgresql: { use_pg_rewind: true, parameters: postgresParameters },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
    },
    postgresql: {
      listen: `${address}:5432`,
      connect_address: `${address}:5432`,
      data_dir: join(folder, 'data'),
      bin_dir: '/usr/lib/postgresql/15/bin',
      authentication: { ...roles, rewind: { username: 'postgres' } },
      pg_hba: ['local all all trust', 'host all all 10.77.0.0/24 trust', 'host replication all 10.77.0.0/24 trust'],
      parameters: { unix_socket_directories: folder },
    },
  })
}

const postgresParameters = {
  max_connections: 60,
  shared_buffers: '32MB',
  max_wal_size: '256MB',
  // A statement whose connection was closed, by PgBouncer for example, ends within a second.
  client_connection_check_interval: '1s',
  wal_receiver_timeout: '10s',
  wal_sender_timeout: '10s',
}

const haproxyConfiguration = ({ address }: Host, databases: readonly Host[]): string => `
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 2s
listen primary
  bind ${address}:5432
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${databases.map((host) => `  server ${host.name} ${host.address}:5432 check port 8008`).join('\n')}
`

/**
 * Ends a new connection to a server that is not the primary: for a second after a primary was demoted, HAProxy still leads to it. It
 * can have writes that were never confirmed and will be lost.
 */
const leaveStandby = 'SELECT pg_terminate_backend(pg_backend_pid()) WHERE pg_is_in_recovery()'

const pgbouncerConfiguration = ({ address }: Host, haproxy: Host): string => `
[databases]
mintmark = host=${haproxy.address} port=5432 dbname=mintmark user=mintmark connect_query='${leaveStandby}'
[pgbouncer]
listen_addr = ${address}
listen_port = 6432
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_client_conn = 200
default_pool_size = 20
server_connect_timeout = 2
server_login_retry = 1
query_wait_timeout = 5
tcp_user_timeout = 10000
`
