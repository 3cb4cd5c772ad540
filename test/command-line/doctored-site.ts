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

/** Changes a message before the proxy passes it on; an answer goes to the browser. */
export interface Passing {
  readonly request: IncomingMessage
  readonly headers: Headers
  status: number
  text: string
}

/** A running server with an SQLite database, and the command line in its folder. */
export interface DoctoredSite {
  readonly issuer: string
  readonly line: CommandLineWithDatabase
  /** Of the identity provider `acme`. */
  readonly secret: string
}

/** A server behind a misconfigured proxy, at an issuer with a path. */
export async function aSite(harm: (answer: Passing) => void = () => {}): Promise<DoctoredSite> {
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
  await listen(proxyTo(upstream, harm), port)
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
  (upstream: number, harm: (answer: Passing) => void) =>
  (request: IncomingMessage, response: ServerResponse): void =>
    void relay(request, response, { upstream, harm })

async function relay(
  request: IncomingMessage,
  response: ServerResponse,
  { upstream, harm }: { readonly upstream: number; readonly harm: (answer: Passing) => void },
): Promise<void> {
  try {
    const passing = await pass(request, upstream)
    harm(passing)
    passing.headers.delete('content-length')
    response.writeHead(passing.status, [...passing.headers].flat()).end(passing.text)
  } catch {
    // The server behind the proxy has closed the connection, so the answer is lost.
    response.destroy()
  }
}

async function pass(request: IncomingMessage, upstream: number): Promise<Passing> {
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
