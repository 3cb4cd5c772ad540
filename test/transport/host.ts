import { createServer, type Server, type ServerOptions } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Adapter, Site } from '../support/adapters.ts'

/** A site that listens on its own port for the duration of the test. */
export interface Host {
  readonly server: Server
  readonly port: number
  readonly url: string
  /** The errors passed to the host's error handler, which responds with the message and status 500. */
  readonly errors: readonly unknown[]
}

export async function aHost(adapter: Adapter, site: Omit<Site, 'onError'>, options: ServerOptions = {}): Promise<Host> {
  const errors: unknown[] = []
  const listener = adapter.listener({ ...site, onError: (error) => void errors.push(error) })
  return { ...(await listenOn(createServer(options, listener))), errors }
}

/** Listens on a free port of 127.0.0.1 for the duration of the test. */
export async function listenOn(server: Server): Promise<Omit<Host, 'errors'>> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return { server, port, url: `http://127.0.0.1:${port}` }
}
