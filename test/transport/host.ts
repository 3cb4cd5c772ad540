import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type Express, type NextFunction, type Request, type Response } from 'express'
import { onTestFinished } from 'vitest'

/** An Express application that listens on a port of its own until the test is over. */
export interface Host {
  readonly server: Server
  readonly port: number
  readonly url: string
  /** What reached the application's error handler, which answers with the message and status 500. */
  readonly errors: readonly unknown[]
}

export async function aHost(mount: (app: Express) => void, options: ServerOptions = {}): Promise<Host> {
  const errors: unknown[] = []
  const app = express()
  mount(app)
  app.use((_request: Request, response: Response) => {
    response.status(404).send('nothing here')
  })
  // oxlint-disable-next-line eslint/max-params -- Express knows an error handler by its four parameters.
  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    errors.push(error)
    response.status(500).send(error instanceof Error ? error.message : '')
  })

  // An Express application is a listener, whose types know only its own request.
  const server = createServer(options, app as RequestListener)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return { server, port, url: `http://127.0.0.1:${port}`, errors }
}
