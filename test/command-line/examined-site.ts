import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

import { toNodeListener } from '@mintmark/adapter-node'
import { createAuthorizationServer, createStoredKeys } from '@mintmark/core'
import { createScimServer } from '@mintmark/scim'
import { createSqlStorage } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { onTestFinished } from 'vitest'

import { freePort } from '../support/free-port.ts'
import { withDatabase, type CommandLineWithDatabase } from './command-line.ts'

/** A response of the server, which the proxy can change before it forwards it. */
export interface ProxiedResponse {
  readonly request: IncomingMessage
  readonly headers: Headers
  status: number
  text: string
}

/** A running server with an SQLite database that doctor examines, and the command line in its folder. */
export interface ExaminedSite {
  readonly issuer: string
  readonly line: CommandLineWithDatabase
  /** The Secret Token of the identity provider `acme`. */
  readonly secret: string
}

/** Starts a server behind a proxy; its issuer has a path. @param tamper changes responses, as a misconfigured proxy does. */
export async function aSite(tamper: (answer: ProxiedResponse) => void = () => {}): Promise<ExaminedSite> {
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}/login`
  const line = await withDatabase(issuer)
  await line.run('client', 'create', 'App', '--id', 'A', '--redirect-uri', 'https://app.test/cb')
  const { out } = await line.run('idp', 'register', 'acme', '--json')

  const dialect = openSqliteDialect(join(line.folder, 'mintmark.db'))
  onTestFinished(() => dialect.close())
  const storage = await createSqlStorage({ dialect, issuer })
  const sealingKey = (await readFile(join(line.folder, 'mintmark.sealing-key'), 'utf8')).trim()
  const server = createAuthorizationServer({
    issuer,
    storage,
    keys: createStoredKeys({ storage, sealingKey }),
    signedIn: async () => undefined,
    onEvent: () => {},
  })
  const scim = createScimServer({ issuer, storage, onEvent: () => {} })
  const upstream = await listen(toNodeListener(server, scim), 0)
  await listen(proxyTo(upstream, tamper), port)
  return { issuer, line, secret: (JSON.parse(out) as { secret: string }).secret }
}

async function listen(
  listener: (request: IncomingMessage, response: ServerResponse) => void,
  port: number,
): Promise<number> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(() => resolve()))
  })
  return (server.address() as AddressInfo).port
}

const proxyTo =
  (upstream: number, tamper: (answer: ProxiedResponse) => void) =>
  (request: IncomingMessage, response: ServerResponse): void =>
    void relay(request, response, { upstream, tamper })

async function relay(
  request: IncomingMessage,
  response: ServerResponse,
  { upstream, tamper }: { readonly upstream: number; readonly tamper: (answer: ProxiedResponse) => void },
): Promise<void> {
  try {
    const answer = await forward(request, upstream)
    tamper(answer)
    answer.headers.delete('content-length')
    response.writeHead(answer.status, [...answer.headers].flat()).end(answer.text)
  } catch {
    // The server behind the proxy has closed the connection without a response.
    response.destroy()
  }
}

async function forward(request: IncomingMessage, upstream: number): Promise<ProxiedResponse> {
  const body = Buffer.concat(await request.toArray())
  const {
    host: _host,
    connection: _connection,
    'content-length': _length,
    'transfer-encoding': _coding,
    ...headers
  } = request.headers
  const answer = await fetch(`http://127.0.0.1:${upstream}${request.url}`, {
    method: request.method ?? 'GET',
    headers: headers as Record<string, string>,
    redirect: 'manual',
    ...(body.length > 0 && { body }),
  })
  return { request, headers: new Headers(answer.headers), status: answer.status, text: await answer.text() }
}
