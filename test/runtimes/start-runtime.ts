import { spawn } from 'node:child_process'

import { epochSeconds } from '@mintmark/storage-interface'
import { importJWK, type CryptoKey, type JWK } from 'jose'

import type { FixtureClients } from '../support/fixture-clients.ts'
import { freePort } from '../support/free-port.ts'
import { send } from '../support/reply.ts'
import type { ReachableServer } from '../support/server-under-test.ts'
import type { Runtime } from './runtimes.ts'

/** A server on a runtime of its own. */
export interface RunningRuntime extends ReachableServer {
  /** What the runtime says it is, such as `Deno/2.9.6`. */
  readonly userAgent: string
  stop(): void
}

/**
 * Starts a runtime in the folder that has the bundles, and waits until it answers.
 * @throws Error with what the runtime said, when it does not come up.
 */
export async function startRuntime(runtime: Runtime, folder: string): Promise<RunningRuntime> {
  const port = await freePort()
  const [program, ...args] = runtime.command(port, folder)
  // A group of its own: some of the programs are scripts that start the real one.
  const child = spawn(program, args, { cwd: folder, detached: true, env: { ...process.env, PORT: String(port), NO_COLOR: '1' } })
  const said: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => said.push(chunk.toString()))
  const stop = (): void => void (child.pid !== undefined && child.exitCode === null && child.signalCode === null && process.kill(-child.pid, 'SIGKILL'))

  try {
    await untilUp(port)
    return { ...(await reach(port)), stop }
  } catch (error) {
    stop()
    throw new Error(`${runtime.name} did not come up: ${said.join('')}`, { cause: error })
  }
}

async function reach(port: number): Promise<Omit<RunningRuntime, 'stop'>> {
  const { json } = await send(port, { path: '/fixture' })
  const { userAgent, clients } = json as unknown as { readonly userAgent: string; readonly clients: Omit<FixtureClients, 'B'> & { readonly B: JWK } }
  const { B, ...secrets } = clients
  return {
    userAgent,
    issuer: 'https://as.test',
    clients: { ...secrets, B: { privateKey: (await importJWK(B, 'ES256')) as CryptoKey } },
    clock: { now: () => epochSeconds(Date.now() / 1000) },
    send: (sent) => send(port, sent),
  }
}

async function untilUp(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const isUp = await send(port, { path: '/jwks' }).then(({ status }) => status === 200, () => false)
    if (isUp) return
    await new Promise((wake) => setTimeout(wake, 50))
  }
  throw new Error('No answer in ten seconds.')
}
