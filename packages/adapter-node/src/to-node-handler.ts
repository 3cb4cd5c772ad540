// One file: reading a request and writing its response depend on each other.

import type { IncomingMessage, ServerResponse as OutgoingMessage } from 'node:http'
import { finished } from 'node:stream'

import type { Endpoint, HttpService, ServerResponse } from '@mintmark/core/http'
import { checkServices, createTurns, type ReadBody, readRequest, type ReceivedRequest } from '@mintmark/internal'

import { answerAndClose, type Lingering } from './answer-and-close.ts'

/**
 * Answers a request of `node:http` if its path belongs to Mintmark.
 * @returns whether it answered. If it did not, nothing was read and nothing was written.
 * @throws Error that says what to change, when something else read the body first; TypeError when the response has a
 *   header that cannot be sent; and every error of a page of the host.
 */
type NodeHandler = (request: IncomingMessage, response: OutgoingMessage) => Promise<boolean>

/**
 * Creates a handler for the paths of the services, for frameworks that expose Node's own request and response: Koa's
 * `ctx.req` and `ctx.res`, Fastify's `raw`. The first service that serves a path answers it. Call the handler before body
 * parsers.
 */
export function toNodeHandler(...services: readonly HttpService[]): NodeHandler {
  checkServices(services)
  const answer = createAnswer()
  // Not an async function: a request would wait for one promise more.
  return (request, response) => {
    const received = originalTarget(request)
    for (const service of services) {
      const target = originFormOf(received, service.origin)
      if (!service.serves(pathOf(target))) continue
      const url = requestUrl(service.origin, target)
      return url === undefined ? notAnswered : answer({ request, response, url }, (head) => service.handle(head))
    }
    return notAnswered
  }
}

const notAnswered = Promise.resolve(false)

/**
 * Turns a page of the host, such as its login form, into a handler. The page receives requests as the service does, with the
 * service's origin and body limit; the host's router decides which paths reach it.
 */
export function toNodeEndpoint(service: HttpService, endpoint: Endpoint): NodeHandler {
  const answer = createAnswer()
  const handle = async (received: ReceivedRequest): Promise<ServerResponse> => {
    const read = await readRequest(received, service.bodyLimit)
    return typeof read === 'string' ? service.tooLarge(received) : endpoint(read)
  }
  return (request, response) => {
    const url = requestUrl(service.origin, originFormOf(originalTarget(request), service.origin))
    return url === undefined ? notAnswered : answer({ request, response, url }, handle)
  }
}

/**
 * Returns the target in the request line. Frameworks like Connect remove the mount path from `url`, and keep the complete
 * target in `originalUrl`.
 */
const originalTarget = (request: IncomingMessage & { readonly originalUrl?: string }): string =>
  request.originalUrl ?? request.url ?? ''

/**
 * Returns the target in origin-form if it is in absolute-form and names this server. Clients send absolute-form to a proxy, and
 * a server must accept it (RFC 9112 §3.2.2). The scheme is not compared, because TLS may end at a proxy.
 */
function originFormOf(target: string, origin: string): string {
  if (target.startsWith('/')) return target
  const [, host = '', rest = ''] = /^https?:\/\/([^/?#@\\]+)(.*)$/i.exec(target) ?? []
  if (host.toLowerCase() !== new URL(origin).host) return target
  return rest.startsWith('/') ? rest : `/${rest}`
}

/**
 * Returns the URL of a request under the configured origin.
 * @param target the request target of the request line.
 * @returns `undefined` when the target is not in origin-form (RFC 9112 §3.2.1), or when URL parsing would change its path:
 *   `/x/../token`, `/./token` and `/\token` are not the path `/token`, even if a URL parser resolves them to it.
 */
function requestUrl(origin: string, target: string): URL | undefined {
  if (!originForm.test(target)) return undefined
  const url = new URL(origin + target)
  return url.pathname === pathOf(target) ? url : undefined
}

/** Returns the part of the target before the query. */
function pathOf(target: string): string {
  const end = target.indexOf('?')
  return end === -1 ? target : target.slice(0, end)
}

/** A slash, then visible ASCII; a `#` would make the rest a fragment, which a request target does not have. */
const originForm = /^\/[\x21\x22\x24-\x7e]*$/

/**
 * Creates a listener for a server that serves nothing else: `createServer(toNodeListener(server))`. Other paths get a 404. If
 * the host's code throws, the response is a 500, and the error is emitted as a warning of the process
 * (`process.on('warning')`). An unhandled rejection would end the process, and nobody could sign in.
 */
export function toNodeListener(
  ...services: readonly HttpService[]
): (request: IncomingMessage, response: OutgoingMessage) => void {
  const handle = toNodeHandler(...services)
  return (request, response) => {
    handle(request, response).then(
      (isAnswered) => isAnswered || end(response, 404),
      (error: unknown) => {
        process.emitWarning(error instanceof Error ? error : String(error))
        end(response, 500)
      },
    )
  }
}

/** Sends an empty response. Headers that a failed answer has already set are removed, including cookies. */
function end(response: OutgoingMessage, status: 404 | 500): void {
  if (response.headersSent) return void response.end()
  for (const name of response.getHeaderNames()) response.removeHeader(name)
  response.writeHead(status, { 'Cache-Control': 'no-store', 'Content-Length': 0 }).end()
}

/** A request that node:http received, with its URL, and the response to write. */
interface Exchange {
  readonly request: IncomingMessage
  readonly response: OutgoingMessage
  readonly url: URL
}

/** Passes a request to a service, and sends the service's response. Returns true. */
type Answer = (exchange: Exchange, handle: HttpService['handle']) => Promise<true>

/**
 * Creates a function that passes a request to a service and sends the service's response. The service reads the body only
 * if it needs the body. The function throws Error when something else read the body first; TypeError when the response has
 * a header that cannot be sent; and every error of `handle`.
 */
function createAnswer(): Answer {
  const lingering: Lingering = { connections: 0, bytes: 0 }
  const lengthOf = createBodyLength()
  const turns = createTurns()

  return async ({ request, response, url }, handle) => {
    requireRawBody(request)
    // Node emits each chunk only once. If a listener of the host, such as a monitor, started the flow of chunks before the
    // service reads, the service would miss them.
    if (mayHaveBody(request)) request.pause()
    // Uploads that begin at the same time take turns, so that short requests do not wait for all of them.
    if (hasLargeBody(request) && turns.hasEnded()) {
      await turns.next()
      if (isOver(response)) return true
    }
    const body: { state: 'unread' | 'read' | 'too_large' | 'aborted' } = { state: 'unread' }
    const read: ReadBody = async (limit) => {
      // A short body arrives with the head: Node has parsed it when the handler first waits.
      await atOnce
      const receiving = receiveBody({ request, response }, limit)
      const bytes = receiving instanceof Promise ? await receiving : receiving
      body.state = typeof bytes === 'string' ? bytes : 'read'
      return bytes
    }
    const value = await handle(receivedRequest({ request, response, url }, read))
    // The host may have answered meanwhile, for instance after a timeout. If the client has disconnected, writing has no effect.
    if (body.state === 'aborted' || response.headersSent) return true

    const isClosing =
      body.state === 'too_large' || (body.state === 'unread' && (value.status === 413 || hasLargeBody(request)))
    // The response to HEAD has no body, but its own `Content-Length`.
    const length = request.method === 'HEAD' && value.body === undefined ? undefined : lengthOf(value)
    writeHead(response, isClosing ? closing(value, request) : value, length)
    if (isClosing) answerAndClose(request, response, { body: value.body, lingering })
    // Node itself discards the unread rest of a small body, and the connection stays open.
    else response.end(request.method === 'HEAD' ? undefined : value.body)
    return true
  }
}

const atOnce = Promise.resolve()

/** Whether the client has disconnected, or the host has answered meanwhile, for instance after a timeout. */
const isOver = (response: OutgoingMessage): boolean => response.headersSent || response.closed

/**
 * Returns a function that returns the signal of a request: it aborts if the client disconnects before it has received the
 * whole response. The signal is created at the first call.
 */
function createDisconnectSignal(response: OutgoingMessage): () => AbortSignal {
  let controller: AbortController | undefined
  return () => {
    if (controller !== undefined) return controller.signal
    const created = new AbortController()
    controller = created
    if (isAbandoned(response)) created.abort()
    else response.once('close', () => response.writableFinished || created.abort())
    return created.signal
  }
}

/** Whether the client has disconnected before it has received the whole response. */
const isAbandoned = (response: OutgoingMessage): boolean => response.closed && !response.writableFinished

/** @throws Error that says what to change, when something else read the body first. */
function requireRawBody(message: IncomingMessage): void {
  if (!mayHaveBody(message) || !wasTouched(message)) return
  throw new Error(
    'Mintmark needs the raw request body, but a body parser ran first. Mount Mintmark, and the pages of the host that ' +
      'it serves, in front of express.json(), express.urlencoded() and other body parsers.',
  )
}

/** The bodies of GET and HEAD requests have no meaning (RFC 9110 §9.3.1) and are not read. */
const mayHaveBody = ({ method }: IncomingMessage): boolean => method !== 'GET' && method !== 'HEAD'

/**
 * Whether a body parser runs before Mintmark: it has read the body, or set an encoding, or skipped the request. A parser
 * of Express skips a request because of its Content-Type, and then leaves `body` undefined. The test for this detects a wrong
 * order of middleware at the first POST. Otherwise it would appear only when a client sends a Content-Type that is parsed.
 */
const wasTouched = (message: IncomingMessage): boolean =>
  message.readableDidRead || message.readableEncoding !== null || ('body' in message && message.body === undefined)

/**
 * Returns the request for the service. The headers come from `rawHeaders`, because Node's `headers` drops some repeated
 * headers, and in older versions throws on a header named `__proto__`.
 */
function receivedRequest({ request, response, url }: Exchange, body: ReadBody): ReceivedRequest<IncomingMessage> {
  const raw = request.rawHeaders
  const headers = new Map<string, string>()
  const repeatedHeaders = new Set<string>()
  for (let at = 0; at < raw.length; at += 2) {
    const key = raw[at]?.toLowerCase() ?? ''
    const value = raw[at + 1] ?? ''
    const before = headers.get(key)
    if (before !== undefined) repeatedHeaders.add(key)
    // RFC 9110 §5.3; cookies are the exception: a comma may be part of one (RFC 9113 §8.2.3).
    headers.set(key, before === undefined ? value : before + (key === 'cookie' ? '; ' : ', ') + value)
  }
  return {
    method: request.method ?? '',
    url,
    headers,
    repeatedHeaders,
    host: request,
    body,
    sent: (done) => finished(response, done),
    signal: createDisconnectSignal(response),
    isAbandoned: () => isAbandoned(response),
  }
}

/**
 * Returns the body as `ReadBody` does, and without a promise if it has arrived.
 * @throws Error when something else has read the body since the request arrived.
 */
function receiveBody(
  { request, response }: Omit<Exchange, 'url'>,
  limit: number,
): Awaited<ReturnType<ReadBody>> | ReturnType<ReadBody> {
  if (isOver(response)) return 'aborted'
  requireRawBody(request)
  // No event follows. Other code may have read an empty body.
  if (request.readableEnded) return new Uint8Array()
  if (request.destroyed) return 'aborted'
  const body = takeArrivedBody(request)
  if (body === undefined) return receiveChunks({ request, response }, limit)
  return body.length > limit ? 'too_large' : body
}

/**
 * Returns the body if as many bytes have arrived as its length says; otherwise `undefined`. A short request then needs
 * none of the events of a stream.
 */
function takeArrivedBody(request: IncomingMessage): Uint8Array | undefined {
  if (request.readableLength !== Number(request.headers['content-length'])) return undefined
  const body = request.read() as Buffer | null
  // The request ends when Node reads on.
  request.resume()
  return body ?? new Uint8Array()
}

/** Receives the body chunk by chunk. */
const receiveChunks = ({ request, response }: Omit<Exchange, 'url'>, limit: number): ReturnType<ReadBody> =>
  new Promise((resolve) => {
    let chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= limit) {
        chunks.push(chunk)
        return
      }
      chunks = []
      resolve('too_large')
    })
    // Node removes the listener of `data` and discards the rest of the body as soon as the host has answered.
    request.once('end', () => resolve(response.headersSent ? 'aborted' : Buffer.concat(chunks)))
    // Every request closes, a whole one after its end. `finished` has more listeners, which take longer than the body.
    request.once('close', () => resolve('aborted'))
    request.once('error', () => resolve('aborted'))
    request.resume()
  })

/**
 * Whether the length of the body is unknown, or so large that closing the connection costs less than discarding the unread
 * body.
 */
function hasLargeBody({ method, headers }: IncomingMessage): boolean {
  if (method === 'GET' || method === 'HEAD') return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > discardable
}

const discardable = 65_536

/**
 * Adds `Connection: close`. HTTP/2 has no such header (RFC 9113 §8.2.2): only the stream is closed, and the other requests
 * of the connection continue.
 */
const closing = (value: ServerResponse, { httpVersionMajor }: IncomingMessage): ServerResponse =>
  httpVersionMajor > 1 ? value : { ...value, headers: [...value.headers, ['Connection', 'close']] }

/**
 * Creates a function that returns the length of a response body in bytes; `undefined` for a status whose responses state
 * none (RFC 9110 §8.6). For a frozen response, the bytes are counted only once, because for 2 kB of text this takes Node as
 * much time as checking and writing the headers.
 */
export function createBodyLength(): (response: ServerResponse) => number | undefined {
  const counted = new WeakMap<ServerResponse, number>()
  return (response) => {
    const { status, body } = response
    if (body === undefined) return status === 204 || status === 304 ? undefined : 0
    if (typeof body !== 'string') return body.length
    const known = counted.get(response)
    if (known !== undefined) return known
    const length = Buffer.byteLength(body)
    if (Object.isFrozen(response)) counted.set(response, length)
    return length
  }
}

/**
 * Sets status and headers; nothing is sent yet. Headers of the service replace headers of the host with the same name, so
 * that no policy or cache rule is sent twice. Cookies are an exception: the host's cookies are kept.
 * @param length the length of the body in bytes; `undefined` if the response states none, or in its own headers.
 * @throws TypeError ERR_INVALID_CHAR when a name or value is not allowed in a header, such as one with a line break.
 */
function writeHead(response: OutgoingMessage, { status, headers }: ServerResponse, length: number | undefined): void {
  // Middleware for sessions and compression replaces `writeHead` with the package on-headers, to change headers. Before 1.1.0
  // on-headers misreads headers that are passed to `writeHead` as a list, and loses all of them.
  const isWatched = Object.hasOwn(response, 'writeHead')
  if (length !== undefined && !isWatched && response.getHeaderNames().length === 0) {
    // The host has set no headers. One call with all headers is faster than one call for each.
    const namesAndValues: string[] = []
    for (const [name, value] of headers) namesAndValues.push(name, value)
    namesAndValues.push('Content-Length', String(length))
    response.writeHead(status, namesAndValues)
    return
  }
  response.statusCode = status
  for (const [name] of headers) if (name.toLowerCase() !== 'set-cookie') response.removeHeader(name)
  for (const [name, value] of headers) response.appendHeader(name, value)
  if (length !== undefined) response.setHeader('Content-Length', length)
}
