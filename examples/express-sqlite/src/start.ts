import { mkdir } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import type { Logger } from '@mintmark/core/http'

import { createHost } from './host.ts'
import type { ProviderCredentials } from './identity-provider.ts'

export interface ExampleOptions {
  /** 0 selects a free port. */
  readonly port: number
  /** Created if it does not exist. */
  readonly dataFolder: string
  readonly logger: Logger
}

/** The running example. */
export interface RunningExample {
  /** The issuer, which is also the address to open in a browser. */
  readonly url: string
  readonly isFirstRun: boolean
  readonly provider: ProviderCredentials
  close(): Promise<void>
}

/**
 * Starts the example on this machine's loopback interface.
 * @throws Error with `code: 'EADDRINUSE'` if the port is in use. Nothing has been written then.
 */
export async function startExample({ port, dataFolder, logger }: ExampleOptions): Promise<RunningExample> {
  const listener = createServer()
  const url = `http://localhost:${await listen(listener, port)}`
  await mkdir(dataFolder, { recursive: true, mode: 0o700 })
  const host = await createHost({ issuer: url, dataFolder, logger })
  listener.on('request', host.app)

  return {
    url,
    isFirstRun: host.isFirstRun,
    provider: host.provider,
    async close() {
      await stop(listener)
      await host.close()
    },
  }
}

function listen(listener: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    listener.once('error', reject)
    listener.listen(port, 'localhost', () => resolve((listener.address() as AddressInfo).port))
  })
}

/** Stops the server, and waits at most a second for open connections: browsers keep idle connections open. */
function stop(listener: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => listener.closeAllConnections(), 1000)
    listener.close(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}
