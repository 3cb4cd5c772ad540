import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { freePort, onFreePort } from '../../../../test/support/free-port.ts'
import { endServer, untilReady } from '../../../../test/support/server-process.ts'

/** A real Redis on 127.0.0.1 with its own folder. Its log has every confirmed write: a restart restores them. */
export interface RedisServer {
  readonly port: number
  readonly url: string
  /** The folder of its append-only log. */
  readonly folder: string
  /** Kills the process (SIGKILL), without an orderly shutdown. */
  kill(): Promise<void>
  /** Starts it again after `kill`, on the same port and folder, with additional settings. */
  restart(settings?: RedisSettings): Promise<void>
  /** Suspends the process (SIGSTOP): connections stay open, and no command is answered. */
  freeze(): void
  thaw(): void
  /** Kills the process and removes its folder. */
  stop(): Promise<void>
}

/** Names and values as in redis.conf. */
export type RedisSettings = Readonly<Record<string, string | number>>

/** @throws Error when redis-server is missing or does not start, so that a test that needs it fails. */
export async function startRedis(settings: RedisSettings = {}): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'mintmark-redis-'))
  const started = await onFreePort(async (port) => {
    const chosen = await withClusterPort(settings)
    return { port, chosen, process: await startProcess({ folder, port, settings: chosen }) }
  })
  const { port, chosen } = started
  let child = started.process

  const kill = (): Promise<void> => endServer(child)

  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    folder,
    kill,
    restart: async (more = {}) => {
      child = await startProcess({ folder, port, settings: { ...chosen, ...more } })
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    stop: async () => {
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The members of a cluster have a second port, for each other. */
const withClusterPort = async (settings: RedisSettings): Promise<RedisSettings> =>
  settings['cluster-enabled'] === 'yes' ? { ...settings, 'cluster-port': await freePort() } : settings

async function startProcess(server: { folder: string; port: number; settings: RedisSettings }): Promise<ChildProcess> {
  const settings: RedisSettings = {
    bind: '127.0.0.1',
    port: server.port,
    dir: server.folder,
    save: '',
    appendonly: 'yes',
    // With `everysec`, Redis would confirm writes that a crash still loses.
    appendfsync: 'always',
    // A test could not find a secret in a compressed dump.
    rdbcompression: 'no',
    'enable-debug-command': 'yes',
    ...server.settings,
  }
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)])
  const child = spawn(process.env['REDIS_SERVER_PATH'] ?? 'redis-server', args, {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const advice = ' Install it, or set REDIS_SERVER_PATH.'
  await untilReady(child, { server: 'redis-server', log: child.stdout, ready: 'Ready to accept connections', advice })
  // If a test fails before it stops the server, the test process can still exit.
  child.unref()
  if (child.stdout instanceof Socket) child.stdout.unref()
  return child
}
