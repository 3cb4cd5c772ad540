import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ClientHttp2Session, connect, createServer, type IncomingHttpHeaders } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { toNodeListener } from '@mintmark/adapter-node'
import type { HttpService } from '@mintmark/core/http'
import { expect, onTestFinished, test } from 'vitest'
import { aService } from './recording-service.ts'

test('a refused upload closes its stream, not the connection, and has no Connection header (RFC 9113 §8.2.2)', async () => {
  const client = await connectTo(aService({ bodyLimit: 4 }))
  const warnings: Error[] = []
  const recordWarning = (warning: Error) => void warnings.push(warning)
  process.on('warning', recordWarning)
  onTestFinished(() => void process.off('warning', recordWarning))

  const refusal = await post(client, 'abcde')
  const next = await post(client, 'abcd')

  expect([refusal.headers[':status'], next.headers[':status']]).toEqual([413, 200])
  expect(refusal.headers).not.toHaveProperty('connection')
  expect(refusal.body).toContain('too large')
  // Node.js would drop a Connection header and log a warning.
  expect(warnings).toEqual([])
})

async function connectTo(service: HttpService): Promise<ClientHttp2Session> {
  const listener = toNodeListener(service)
  // The compatibility API of node:http2 has the methods of node:http, but not its classes.
  const server = createServer((request, response) =>
    listener(request as unknown as IncomingMessage, response as unknown as ServerResponse),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  onTestFinished(() => {
    client.destroy()
    server.close()
  })
  return client
}

async function post(
  client: ClientHttp2Session,
  body: string,
): Promise<{ readonly headers: IncomingHttpHeaders; readonly body: string }> {
  const stream = client.request({ ':method': 'POST', ':path': '/token', 'content-length': Buffer.byteLength(body) })
  stream.end(body)
  const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders]
  return { headers, body: await text(stream) }
}
