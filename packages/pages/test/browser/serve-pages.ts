import type { ServerRequest, ServerResponse } from '@mintmark/core/http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type Answer = (request: ServerRequest) => ServerResponse

/** Starts a server on a free loopback port. It serves the page of each GET path, and passes every POST to `answerPost`. */
export async function servePages(pages: Readonly<Record<string, ServerResponse>>, answerPost: Answer) {
  const server = createServer((incoming, outgoing) => {
    const parts: Uint8Array[] = []
    incoming.on('data', (part: Uint8Array) => parts.push(part))
    incoming.on('end', () => {
      const url = new URL(incoming.url ?? '/', 'http://localhost')
      const request: ServerRequest = {
        method: incoming.method ?? '',
        url,
        headers: new Map(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
        repeatedHeaders: new Set(),
        host: undefined,
        body: Buffer.concat(parts),
      }
      const { status, headers, body } =
        request.method === 'POST' ? answerPost(request) : (pages[url.pathname] ?? nothing)
      outgoing.writeHead(status, headers.flat()).end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { origin: `http://127.0.0.1:${port}`, close }
}

// 204 instead of 404: Chromium may request /favicon.ico at any time, and reports a missing file on the console.
const nothing: ServerResponse = { status: 204, headers: [], body: undefined }
