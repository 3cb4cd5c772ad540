import type { IncomingMessage, ServerResponse as OutgoingMessage } from 'node:http'
import { finished } from 'node:stream'
import type { Endpoint, HttpService, ServerResponse } from '@mintmark/core/http'
import { createBodyLength } from './body-length.ts'
import { hasBody, noBody, readBody } from './read-body.ts'
import { readRequest } from './read-request.ts'
import { writeHead } from './write-head.ts'

/** A request that node:http received, what it is to be read as, and where the answer goes. */
interface Exchange {
  readonly request: IncomingMessage
  readonly response: OutgoingMessage
  readonly url: URL
  /** How large a body may be, and what answers a larger one. */
  readonly service: Pick<HttpService, 'bodyLimit' | 'tooLarge'>
}

/** Lets an endpoint answer a request. */
export type Answer = (exchange: Exchange, endpoint: Endpoint) => Promise<void>

/**
 * What lets an endpoint answer, if the request arrives whole and its body is within the limit. It throws Error when something
 * else read the body first; TypeError when the answer has an impossible header; and whatever the endpoint throws.
 */
export function createAnswer(): Answer {
  const lengthOf = createBodyLength()

  return async ({ request, response, url, service }, endpoint) => {
    const body = hasBody(request) ? await readBody(request, service.bodyLimit) : noBody
    if (body === 'aborted') return
    const value = body === 'too_large' ? closing(service.tooLarge()) : await endpoint(readRequest(request, url, body))

    // The host may have answered meanwhile, for instance after a timeout. To a client that has left, writing does nothing.
    if (response.headersSent) return
    writeHead(response, value, lengthOf(value))
    if (body === 'too_large') return hangUp(request, response, value.body)
    response.end(request.method === 'HEAD' ? undefined : value.body)
  }
}

const closing = (value: ServerResponse): ServerResponse => ({
  ...value,
  headers: [...value.headers, ['Connection', 'close']],
})

/**
 * Answers and closes. For a moment before it what the client still sends is thrown away: closing on unread bytes makes
 * TCP send a reset, and the client would see that instead of the answer (RFC 9112 §9.6).
 */
function hangUp(request: IncomingMessage, response: OutgoingMessage, body: ServerResponse['body']): void {
  response.write(body ?? '')
  const timer = setTimeout(() => response.end(), lingerMilliseconds)
  finished(request, () => {
    clearTimeout(timer)
    response.end()
  })
}

const lingerMilliseconds = 500
