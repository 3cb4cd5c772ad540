import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { chown, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { onFreePort } from '../../../../test/support/free-port.ts'
import { endServer, untilReady } from '../../../../test/support/server-process.ts'

/**
 * A real MariaDB on 127.0.0.1 with its own folder. Its user `root` needs no password. It does not wait
 * for the disk: a confirmed write survives when the server is killed, but not when the machine fails.
 */
export interface MariadbServer {
  readonly port: number
  /** Kills the process (SIGKILL), without an orderly shutdown. */
  kill(): Promise<void>
  /** Starts it again after `kill`, on the same port and folder. */
  restart(): Promise<void>
  /** Kills the process and removes its folder. */
  stop(): Promise<void>
}

/**
 * @param settings further arguments of `mariadbd`.
 * @throws Error when it is missing or does not start, so that a test that needs it fails.
 */
export async function startMariadb(settings: readonly string[] = []): Promise<MariadbServer> {
  const folder = await mkdtemp(join(tmpdir(), 'mintmark-mariadb-'))
  // MariaDB refuses to run as root.
  const isRoot = process.getuid?.() === 0
  await mkdir(temporary(folder))
  if (isRoot) for (const owned of [folder, temporary(folder)]) await chown(owned, 65_534, 65_534)
  initialise(folder, isRoot)
  const started = await onFreePort(async (port) => ({
    port,
    process: await startProcess({ folder, port, isRoot, settings }),
  }))
  const { port } = started
  let child = started.process

  const kill = (): Promise<void> => endServer(child)

  return {
    port,
    kill,
    restart: async () => {
      child = await startProcess({ folder, port, isRoot, settings })
    },
    stop: async () => {
      await kill()
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** A server that starts deletes the files of others in its temporary folder. */
const temporary = (folder: string): string => join(folder, 'temporary')

function initialise(folder: string, isRoot: boolean): void {
  const install = process.env['MARIADB_INSTALL_DB_PATH'] ?? 'mariadb-install-db'
  const args = [
    '--no-defaults',
    `--datadir=${join(folder, 'data')}`,
    `--tmpdir=${temporary(folder)}`,
    '--auth-root-authentication-method=normal',
  ]
  const { status, error, stderr } = spawnSync(install, [...args, '--skip-test-db', ...asNobody(isRoot)], {
    cwd: folder,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`mariadb-install-db ended with ${status}:\n${stderr}`, { cause: error })
}

const asNobody = (isRoot: boolean): readonly string[] => (isRoot ? ['--user=nobody'] : [])

interface Installation {
  readonly folder: string
  readonly port: number
  readonly isRoot: boolean
  readonly settings: readonly string[]
}

async function startProcess({ folder, port, isRoot, settings }: Installation): Promise<ChildProcess> {
  const args = [
    '--no-defaults',
    `--datadir=${join(folder, 'data')}`,
    `--tmpdir=${temporary(folder)}`,
    `--socket=${join(folder, 'socket')}`,
    `--pid-file=${join(folder, 'pid')}`,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    '--innodb-flush-log-at-trx-commit=2',
    '--innodb-flush-method=nosync',
    '--debug-no-sync',
    '--innodb-buffer-pool-size=64M',
    '--skip-name-resolve',
    ...asNobody(isRoot),
    ...settings,
  ]
  const child = spawn(process.env['MARIADBD_PATH'] ?? 'mariadbd', args, {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await untilReady(child, { server: 'MariaDB', log: child.stderr, ready: 'ready for connections' })
  return child
}
