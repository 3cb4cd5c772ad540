import { spawn } from 'node:child_process'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { endServer, untilReady } from '../../../../test/support/server-process.ts'

/** A real PgBouncer on 127.0.0.1, in transaction mode. */
export interface PgbouncerServer {
  /** Kills the process and removes its folder. */
  stop(): Promise<void>
}

interface PgbouncerOptions {
  /** The port on which it listens. */
  readonly port: number
  /** The address of the PostgreSQL server. PgBouncer leads to its database of the same name. */
  readonly server: string
  /** How many connections to the server all clients share. */
  readonly connections: number
}

/** @throws Error when it is missing or does not start, so that a test that needs it fails. */
export async function startPgbouncer({ port, server, connections }: PgbouncerOptions): Promise<PgbouncerServer> {
  const folder = await mkdtemp(join(tmpdir(), 'mintmark-pgbouncer-'))
  const file = join(folder, 'pgbouncer.ini')
  const { hostname, port: serverPort, username } = new URL(server)
  await writeFile(
    file,
    `[databases]
* = host=${hostname} port=${serverPort} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${connections}
`,
  )
  // PgBouncer refuses to run as root.
  const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  if (account.uid !== undefined) await chown(folder, account.uid, account.gid)
  const child = spawn(process.env['PGBOUNCER_PATH'] ?? 'pgbouncer', [file], {
    ...account,
    cwd: folder,
    env: { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const stop = async (): Promise<void> => {
    await endServer(child)
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await untilReady(child, { server: 'PgBouncer', log: child.stderr, ready: 'process up' })
    return { stop }
  } catch (error) {
    await stop()
    throw error
  }
}
