import { epochSeconds } from '@mintmark/storage-interface'
import { importJWK, type CryptoKey, type JWK } from 'jose'

import type { FixtureClients } from '../support/fixture-clients.ts'
import { freePort } from '../support/free-port.ts'
import { send } from '../support/send.ts'
import type { ReachableServer } from '../support/server-under-test.ts'
import { startProgram, type RunningProgram } from '../support/start-program.ts'
import type { Runtime } from './runtimes.ts'

/** A server that runs on another runtime. */
export interface RunningRuntime extends ReachableServer, RunningProgram {
  /** The runtime's name and version, such as `Deno/2.9.6`. */
  readonly userAgent: string
}

/** Starts a runtime in the folder that contains the bundles. */
export async function startRuntime(runtime: Runtime, folder: string): Promise<RunningRuntime> {
  const port = await freePort()
  const program = await startProgram({
    command: runtime.command(port, folder),
    cwd: folder,
    env: { PORT: String(port) },
    port,
  })
  const { json } = await send(port, { path: '/fixture' })
  const { userAgent, clients } = json as unknown as {
    readonly userAgent: string
    readonly clients: Omit<FixtureClients, 'B'> & { readonly B: JWK }
  }
  const { B, ...secrets } = clients

  return {
    ...program,
    userAgent,
    issuer: 'https://as.test',
    clients: { ...secrets, B: { privateKey: (await importJWK(B, 'ES256')) as CryptoKey } },
    clock: { now: () => epochSeconds(Date.now() / 1000) },
    send: (sent) => send(port, sent),
  }
}
