import type { Endpoint, HttpService, ServerResponse } from '@mintmark/core/http'
import { checkServices, type ReadBody, readRequest, type ReceivedRequest } from '@mintmark/internal'

/**
 * Turns the services into one function, for a runtime or a route that serves nothing else:
 * `export default { fetch: toFetch(server) }`. The first service that serves a path answers it; other paths get a 404.
 */
export function toFetch(...services: readonly HttpService[]): (request: Request) => Promise<Response> {
  const handle = toFetchHandler(...services)
  return async (request) =>
    (await handle(request)) ?? new Response('Not found.', { status: 404, headers: { 'Cache-Control': 'no-store' } })
}

/**
 * Creates a function for frameworks with other routes. It answers the paths of the services: the first service that serves a
 * path answers it. For every other request it resolves to `undefined` and reads nothing. Call it before anything reads the
 * body.
 */
export function toFetchHandler(
  ...services: readonly HttpService[]
): (request: Request) => Promise<Response | undefined> {
  checkServices(services)
  const track = createBodyTracker()
  return async (request) => {
    const path = new URL(request.url).pathname
    const service = services.find((candidate) => candidate.serves(path))
    if (service === undefined) return undefined
    const whenSent: (() => void)[] = []
    const sent = (done: () => void): void => void whenSent.push(done)
    const response = await answer(service, request, (received) => service.handle({ ...received, sent }))
    return response === undefined || whenSent.length === 0 ? response : track(response, request, whenSent)
  }
}

/** Calls the callbacks when the response was sent, or will not be sent. */
type TrackBody = (response: Response, request: Request, whenSent: readonly (() => void)[]) => Response

/**
 * A runtime does not report when a response was sent. It reads the body in pieces, so this wraps the body in a stream that
 * notices the end. A host may drop a response without reading it; the garbage collector then reports the stream.
 */
function createBodyTracker(): TrackBody {
  // Cloudflare Workers have no FinalizationRegistry before the compatibility date 2025-05-05.
  const dropped =
    typeof FinalizationRegistry === 'undefined' ? undefined : new FinalizationRegistry<() => void>((end) => end())

  return (response, request, whenSent) => {
    let hasEnded = false
    const end = (): void => {
      if (hasEnded) return
      hasEnded = true
      for (const done of whenSent) done()
    }
    if (response.body === null) {
      end()
      return response
    }
    const reader = response.body.getReader()
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const { value } = await reader.read()
          if (value !== undefined) return controller.enqueue(value)
          controller.close()
          end()
        },
        async cancel(reason) {
          end()
          await reader.cancel(reason)
        },
      },
      // Reads no data ahead.
      { highWaterMark: 0 },
    )
    dropped?.register(body, end)
    request.signal.addEventListener('abort', end, { once: true })
    return new Response(body, response)
  }
}

/**
 * Turns a page of the host, such as its login form, into a function. The page receives requests as the service does, with
 * the service's origin and body limit; the host's router decides which paths reach it. The function resolves to `undefined`
 * when the URL of the request has a fragment, credentials or a path that parsing changes.
 */
export const toFetchEndpoint =
  (service: HttpService, endpoint: Endpoint): ((request: Request) => Promise<Response | undefined>) =>
  (request) =>
    answer(service, request, async (received) => {
      const read = await readRequest(received, service.bodyLimit)
      if (read === 'too_large') return service.tooLarge(received)
      return read === 'aborted' ? abandoned : endpoint(read)
    })

/** A response that nobody receives, because the client has disconnected. */
const abandoned: ServerResponse = { status: 400, headers: [], body: undefined }

/**
 * @throws Error when something else read the body first; TypeError when the response has a header that cannot be sent; and
 *   every error of `handle`.
 */
async function answer(
  { origin }: HttpService,
  request: Request,
  handle: HttpService['handle'],
): Promise<Response | undefined> {
  const url = requestUrl(origin, request.url)
  if (url === undefined) return undefined

  requireRawBody(request)
  return toResponse(request.method, await handle(receivedRequest(request, url)))
}

/**
 * Returns the URL of a request under the configured origin, whatever host the runtime saw.
 * @param seen the absolute URL from the runtime.
 * @returns `undefined` when the URL has a fragment or credentials, which a request target must not have (RFC 9112 §3.2,
 *   RFC 9110 §4.2.4), or when parsing changes its path. Most runtimes resolve `/x/../token` before this function sees it.
 */
function requestUrl(origin: string, seen: string): URL | undefined {
  const { pathname, search } = new URL(seen)
  const [, path] = /^[^/]*\/\/[^/?#@]*([^?#]*)/.exec(seen) ?? []
  return path === pathname && !seen.includes('#') ? new URL(origin + pathname + search) : undefined
}

/** @throws Error that says what to change, when something else read the body first. */
function requireRawBody({ method, bodyUsed, body }: Request): void {
  // The bodies of GET and HEAD requests have no meaning (RFC 9110 §9.3.1) and are not read.
  if (method === 'GET' || method === 'HEAD' || (!bodyUsed && body?.locked !== true)) return
  throw new Error(
    'Mintmark needs the raw request body, but something else read it first. Pass the request to Mintmark before calling ' +
      'request.json(), request.formData() or a body parser, or pass request.clone().',
  )
}

/**
 * Fetch joins repeated headers with a comma (Fetch §2.2.2). The values of single-valued headers contain no comma, so a comma
 * shows that such a header was repeated. For headers that may be lists, this cannot be determined.
 */
function receivedRequest(request: Request, url: URL): ReceivedRequest<Request> {
  const headers = new Map(request.headers)
  const repeatedHeaders = new Set(singleValued.filter((name) => headers.get(name)?.includes(',')))
  const body: ReadBody = (limit) => readBody(request, limit)
  return { method: request.method, url, headers, repeatedHeaders, host: request, signal: () => request.signal, body }
}

/** Headers that decisions depend on, with values without commas (RFC 9110 §5.5, §11.4; RFC 9449 §4.1; RFC 6454 §7). */
const singleValued = ['authorization', 'content-type', 'content-length', 'dpop', 'host', 'origin', 'sec-fetch-site']

/** @throws Error when something else has read the body since the request arrived. */
async function readBody(request: Request, limit: number): ReturnType<ReadBody> {
  requireRawBody(request)
  const reader = request.body?.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
      chunks.push(part.value)
      size += part.value.length
      // The rest is not read, and not cancelled either: on some runtimes that closes the connection before the response.
      if (size > limit) return 'too_large'
    }
  } catch {
    // The stream fails when the client disconnects, so nobody would receive an error.
    return 'aborted'
  }
  return concatenate(chunks, size)
}

function concatenate(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const body = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    body.set(chunk, at)
    at += chunk.length
  }
  return body
}

/** `Response` throws if one of these has a body, even an empty one (Fetch §2.2.3). */
const nullBodyStatuses: ReadonlySet<number> = new Set([204, 205, 304])

function toResponse(method: string, { status, headers, body }: ServerResponse): Response {
  const sent = new Headers()
  // Headers are appended one by one, because an object or a map would keep only one of several cookies (RFC 6265 §3).
  for (const [name, value] of headers) sent.append(name, value)
  // The type of Response requires bytes that are not shared with another thread. Bodies here never are.
  const isEmpty = method === 'HEAD' || nullBodyStatuses.has(status)
  const content = isEmpty ? null : (body as string | Uint8Array<ArrayBuffer> | undefined)
  return new Response(content ?? null, { status, headers: sent })
}
