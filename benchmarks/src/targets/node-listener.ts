import type { IncomingMessage, RequestListener, ServerResponse as OutgoingMessage } from 'node:http'

import type { HttpService, ServerRequest } from '@mintmark/core/http'

/** Serves a service over plain node:http, with no more than an adapter owes. */
export const listenerOf =
  (service: HttpService): RequestListener =>
  (message, response) => {
    readBody(message, (body) => void answer(readRequest(message, service.origin, body), response, service))
  }

async function answer(request: ServerRequest, response: OutgoingMessage, service: HttpService): Promise<void> {
  const { status, headers, body } = await service.handle(request)
  response.writeHead(status, [...headers.flat(), 'Content-Length', String(body === undefined ? 0 : Buffer.byteLength(body))])
  response.end(body)
}

function readBody(message: IncomingMessage, done: (body: Uint8Array) => void): void {
  const chunks: Buffer[] = []
  message.on('data', (chunk: Buffer) => chunks.push(chunk))
  message.on('end', () => done(Buffer.concat(chunks)))
}

function readRequest({ method = '', url = '/', rawHeaders }: IncomingMessage, origin: string, body: Uint8Array): ServerRequest {
  const headers = new Map<string, string>()
  const repeatedHeaders = new Set<string>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase()
    const value = rawHeaders[at + 1] ?? ''
    const before = headers.get(name)
    if (before !== undefined) repeatedHeaders.add(name)
    headers.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  return { method, url: new URL(origin + url), headers, repeatedHeaders, body }
}
