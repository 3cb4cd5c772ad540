import type { IncomingMessage, ServerResponse as OutgoingMessage } from 'node:http'
import { finished } from 'node:stream'

import type { Endpoint, HttpService, ServerResponse } from '@mintmark/core/http'
import { createTurns, type ReadBody, readRequest, type ReceivedRequest } from '@mintmark/internal'

/**
 * Answers a request of `node:http`, or leaves it alone.
 * @returns whether it answered. When not, nothing was read and nothing was written.
 * @throws Error when something else read the body first, in words that name the fix; TypeError when the answer has a
 *   header that cannot be sent; and whatever a page of the host throws.
 */
type NodeHandler = (request: IncomingMessage, response: OutgoingMessage) => Promise<boolean>

/**
 * The paths of the services, for frameworks that expose Node's own request and response: Koa's `ctx.req` and `ctx.res`,
 * Fastify's `raw`. The first service that has the path answers. It runs in front of body parsers.
 */
export function toNodeHandler(...services: readonly HttpService[]): NodeHandler {
  const answer = createAnswer()
  return async (request, response) => {
    const received = originalTarget(request)
    for (const service of services) {
      const target = originFormOf(received, service.origin)
      if (!service.serves(pathOf(target))) continue
      const url = requestUrl(service.origin, target)
      if (url === undefined) return false

      await answer({ request, response, url }, (head) => service.handle(head))
      return true
    }
    return false
  }
}

/**
 * A page of the host, such as its login form. The page receives requests as the service does, with the service's origin and
 * body limit; which paths reach it is up to the host's router.
 */
export function toNodeEndpoint(service: HttpService, endpoint: Endpoint): NodeHandler {
  const answer = createAnswer()
  return async (request, response) => {
    const url = requestUrl(service.origin, originFormOf(originalTarget(request), service.origin))
    if (url === undefined) return false

    await answer({ request, response, url }, async (received) => {
      const read = await readRequest(received, service.bodyLimit)
      return typeof read === 'string' ? service.tooLarge() : endpoint(read)
    })
    return true
  }
}

/** As in the request line: frameworks like Connect remove their mount path from `url` and keep it here. */
const originalTarget = (request: IncomingMessage & { readonly originalUrl?: string }): string =>
  request.originalUrl ?? request.url ?? ''

/**
 * RFC 9112 §3.2.2: a server accepts a target in absolute-form, which clients send to a proxy, if it names this server. Only the
 * host is compared: TLS may end at a proxy.
 */
function originFormOf(target: string, origin: string): string {
  if (target.startsWith('/')) return target
  const [, host = '', rest = ''] = /^https?:\/\/([^/?#@\\]+)(.*)$/i.exec(target) ?? []
  if (host.toLowerCase() !== new URL(origin).host) return target
  return rest.startsWith('/') ? rest : `/${rest}`
}

/**
 * The URL of a request under the configured origin.
 * @param target the request target of the request line.
 * @returns `undefined` when the target is not in origin-form (RFC 9112 §3.2.1), or when URL parsing would change its path:
 *   `/x/../token`, `/./token` and `/\token` are not the path `/token`, whatever a parser makes of them.
 */
function requestUrl(origin: string, target: string): URL | undefined {
  if (!originForm.test(target)) return undefined
  const url = new URL(origin + target)
  return url.pathname === pathOf(target) ? url : undefined
}

/** What comes before the query. */
function pathOf(target: string): string {
  const end = target.indexOf('?')
  return end === -1 ? target : target.slice(0, end)
}

/** A slash, then visible ASCII; a `#` would make the rest a fragment, which a request target does not have. */
const originForm = /^\/[\x21\x22\x24-\x7e]*$/

/**
 * A listener for a server that serves nothing else: `createServer(toNodeListener(server))`. Other paths are answered with
 * 404. What goes wrong in the host is answered with 500 and becomes a warning of the process (`process.on('warning')`): a
 * rejection that nobody handles would end the process, and with it everybody's sign-in.
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

/** Says no more than the status. What a failed answer had set already is dropped, cookies too. */
function end(response: OutgoingMessage, status: 404 | 500): void {
  if (response.headersSent) return void response.end()
  for (const name of response.getHeaderNames()) response.removeHeader(name)
  response.writeHead(status, { 'Cache-Control': 'no-store', 'Content-Length': 0 }).end()
}

/** A request that node:http received, and where the answer goes. */
interface Exchange {
  readonly request: IncomingMessage
  readonly response: OutgoingMessage
  readonly url: URL
}

/** Lets a service answer a request. */
type Answer = (exchange: Exchange, handle: HttpService['handle']) => Promise<void>

/**
 * Creates a function that lets a service answer. The service reads the body when it has decided that it needs it.
 * The function throws Error when something else read the body first; TypeError when the answer has an impossible header;
 * and what `handle` throws.
 */
function createAnswer(): Answer {
  const lingering: Lingering = { connections: 0, bytes: 0 }
  const lengthOf = createBodyLength()
  const turns = createTurns()

  return async ({ request, response, url }, handle) => {
    requireRawBody(request)
    // Each chunk is emitted once. A listener of the host, such as a monitor, must not let them flow before the service reads.
    if (mayHaveBody(request)) request.pause()
    // Uploads that begin at the same time take turns, so that short requests do not wait for all of them.
    if (hasLargeBody(request) && turns.hasEnded()) {
      await turns.next()
      if (isOver(response)) return
    }
    const body: { state: 'unread' | 'read' | 'too_large' | 'aborted' } = { state: 'unread' }
    const read: ReadBody = async (limit) => {
      const bytes = await readBody({ request, response }, limit)
      body.state = typeof bytes === 'string' ? bytes : 'read'
      return bytes
    }
    const value = await handle({
      ...receivedRequest(request, url, read),
      sent: (done) => finished(response, done),
      signal: createDisconnectSignal(response),
    })
    // The host may have answered meanwhile, for instance after a timeout. To a client that has left, writing does nothing.
    if (body.state === 'aborted' || response.headersSent) return

    const isClosing =
      body.state === 'too_large' || (body.state === 'unread' && (value.status === 413 || hasLargeBody(request)))
    writeHead(response, isClosing ? closing(value, request) : value, lengthOf(value))
    if (isClosing) return hangUp(request, response, { body: value.body, lingering })
    // Node itself discards what is left of a small body, and the connection stays open.
    response.end(request.method === 'HEAD' ? undefined : value.body)
  }
}

/** Whether the client has disconnected, or the host has answered meanwhile, for instance after a timeout. */
const isOver = (response: OutgoingMessage): boolean => response.headersSent || response.closed

/** One signal for each request, once it is asked for: the client has disconnected before it had the whole answer. */
function createDisconnectSignal(response: OutgoingMessage): () => AbortSignal {
  let controller: AbortController | undefined
  return () => {
    if (controller !== undefined) return controller.signal
    const created = new AbortController()
    controller = created
    if (response.closed && !response.writableFinished) created.abort()
    else response.once('close', () => response.writableFinished || created.abort())
    return created.signal
  }
}

/** @throws Error that says what to change, when something else read the body first. */
function requireRawBody(message: IncomingMessage): void {
  if (!mayHaveBody(message) || !wasTouched(message)) return
  throw new Error(
    'Mintmark needs the raw request body, and a body parser came first. Put Mintmark, and the pages of the host that ' +
      'it serves, in front of express.json(), express.urlencoded() and the like.',
  )
}

/** The bodies of GET and HEAD mean nothing (RFC 9110 §9.3.1) and are not read. */
const mayHaveBody = ({ method }: IncomingMessage): boolean => method !== 'GET' && method !== 'HEAD'

/**
 * Whether the bytes are gone, or decoded, or a parser of Express has looked at the request and skipped it, which leaves
 * `body` undefined. A parser skips by Content-Type: without the last test it would be up to the client when a wrong
 * order of middleware shows, and now it shows at the first POST.
 */
const wasTouched = (message: IncomingMessage): boolean =>
  message.readableDidRead || message.readableEncoding !== null || ('body' in message && message.body === undefined)

/** From the raw list: Node's own collections drop repeated headers, and older ones throw on a header named `__proto__`. */
function receivedRequest(message: IncomingMessage, url: URL, body: ReadBody): ReceivedRequest<IncomingMessage> {
  const raw = message.rawHeaders
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
  return { method: message.method ?? '', url, headers, repeatedHeaders, host: message, body }
}

/** @throws Error when something else has read the body since the request arrived. */
async function readBody(
  { request, response }: Pick<Exchange, 'request' | 'response'>,
  limit: number,
): ReturnType<ReadBody> {
  if (isOver(response)) return 'aborted'
  requireRawBody(request)
  return new Promise((resolve) => {
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
    // Node removes the listener and discards the rest of the body as soon as the host has answered.
    finished(request, (error) => resolve(error || response.headersSent ? 'aborted' : Buffer.concat(chunks)))
    request.resume()
  })
}

/** Whether the body that nobody reads is too large, or of unknown length, to be discarded for the sake of the connection. */
function hasLargeBody({ method, headers }: IncomingMessage): boolean {
  if (method === 'GET' || method === 'HEAD') return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > discardable
}

const discardable = 65_536

/** RFC 9113 §8.2.2: HTTP/2 has no `Connection` header. It closes the stream, and other requests go on. */
const closing = (value: ServerResponse, { httpVersionMajor }: IncomingMessage): ServerResponse =>
  httpVersionMajor > 1 ? value : { ...value, headers: [...value.headers, ['Connection', 'close']] }

/**
 * Counts the bytes of text, and of a frozen response only once: for Node counting 2 kB is as much work as checking and writing
 * their headers.
 */
export function createBodyLength(): (response: ServerResponse) => number | undefined {
  const counted = new WeakMap<ServerResponse, number>()
  return (response) => {
    const { body } = response
    if (typeof body !== 'string') return body?.length
    const known = counted.get(response)
    if (known !== undefined) return known
    const length = Buffer.byteLength(body)
    if (Object.isFrozen(response)) counted.set(response, length)
    return length
  }
}

/**
 * Sets status and headers; nothing is sent yet. They replace what the host had set under the same names, so that no policy
 * or cache rule is sent twice; only cookies are added to the host's.
 * @param length of the body in bytes; undefined when there is none.
 * @throws TypeError ERR_INVALID_CHAR when a name or value cannot stand in a header, such as one with a line break.
 */
function writeHead(response: OutgoingMessage, { status, headers }: ServerResponse, length: number | undefined): void {
  // Middleware that replaces `writeHead`, as on-headers does for sessions and compression, looks for headers that were set.
  // Before 1.1.0 it misreads a list of them, and all are lost.
  const isWatched = Object.hasOwn(response, 'writeHead')
  if (length !== undefined && !isWatched && response.getHeaderNames().length === 0) {
    // Nothing to replace: one call with all of them is faster than one call for each.
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

/**
 * Answers and closes. For a moment before it discards what the client still sends: closing on unread bytes makes TCP send
 * a reset, and the client would see that instead of the answer (RFC 9112 §9.6).
 */
function hangUp(
  request: IncomingMessage,
  response: OutgoingMessage,
  { body, lingering }: { readonly body: ServerResponse['body']; readonly lingering: Lingering },
): void {
  // Many refused uploads at a time must not keep the server busy with reading. Theirs end in a reset.
  if (request.closed || lingering.connections >= lingerConnections) return void response.end(body)
  // Without a body there is nothing to write: Node would hold back the head of a 204, or throw (`rejectNonStandardBodyWrites`).
  if (body === undefined) response.flushHeaders()
  else response.write(body)
  let discarded = 0
  lingering.connections += 1
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length
    lingering.bytes += chunk.length
    if (lingering.bytes > lingerBytes) request.pause()
  })
  request.resume()
  const timer = setTimeout(() => response.end(), lingerMilliseconds)
  request.once('end', () => response.end())
  request.once('close', () => {
    clearTimeout(timer)
    lingering.bytes -= discarded
    lingering.connections -= 1
    response.end()
  })
}

/** The connections that are being closed, and the bytes that were discarded from them. */
interface Lingering {
  connections: number
  bytes: number
}

const lingerConnections = 100

const lingerBytes = 16_777_216

const lingerMilliseconds = 500
