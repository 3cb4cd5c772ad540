import type { Endpoint, HttpService, ServerResponse } from '@mintmark/core/http'
import { type ReadBody, readRequest, type ReceivedRequest } from '@mintmark/internal'

/**
 * The services as one function, for a runtime or a route that serves nothing else: `export default { fetch: toFetch(server) }`.
 * The first service that has the path answers; other paths are answered with 404.
 */
export function toFetch(...services: readonly HttpService[]): (request: Request) => Promise<Response> {
  const handle = toFetchHandler(...services)
  return async (request) =>
    (await handle(request)) ?? new Response('Not found.', { status: 404, headers: { 'Cache-Control': 'no-store' } })
}

/**
 * The paths of the services, and `undefined` for every other request, of which nothing was read: for a framework that has
 * routes of its own. It runs in front of whatever reads bodies.
 */
export function toFetchHandler(
  ...services: readonly HttpService[]
): (request: Request) => Promise<Response | undefined> {
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

/** Calls back when a response was sent, or will not be. */
type TrackBody = (response: Response, request: Request, whenSent: readonly (() => void)[]) => Response

/**
 * A runtime does not say when a response was sent. It says when it reads the body, so the body is a stream that is read in pieces.
 * A host may drop a response unread: then the stream is collected as garbage.
 */
function createBodyTracker(): TrackBody {
  // Cloudflare Workers have no registry before the compatibility date 2025-05-05.
  const dropped =
    typeof FinalizationRegistry === 'undefined' ? undefined : new FinalizationRegistry<() => void>((end) => end())

  return (response, request, whenSent) => {
    let isOver = false
    const end = (): void => {
      if (isOver) return
      isOver = true
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
      // Nothing is read ahead.
      { highWaterMark: 0 },
    )
    dropped?.register(body, end)
    request.signal.addEventListener('abort', end, { once: true })
    return new Response(body, response)
  }
}

/**
 * A page of the host, such as its login form. The page receives requests as the service does, with the service's origin and
 * body limit; which paths reach it is up to the host's router. `undefined` when no page can have such an address.
 */
export const toFetchEndpoint =
  (service: HttpService, endpoint: Endpoint): ((request: Request) => Promise<Response | undefined>) =>
  (request) =>
    answer(service, request, async (received) => {
      const read = await readRequest(received, service.bodyLimit)
      if (read === 'too_large') return service.tooLarge()
      return read === 'aborted' ? abandoned : endpoint(read)
    })

/** Nobody receives it: the client has disconnected. */
const abandoned: ServerResponse = { status: 400, headers: [], body: undefined }

/**
 * @throws Error when something else read the body first; TypeError when the answer has a header that cannot be sent; and
 *   whatever `handle` throws.
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
 * The URL of a request under the configured origin, whatever host the runtime saw.
 * @param seen as the runtime gives it: absolute.
 * @returns `undefined` when it has a fragment or credentials, which no request target has (RFC 9112 §3.2, RFC 9110 §4.2.4),
 *   or a path that was changed on the way: most runtimes have resolved `/x/../token` before anybody can ask.
 */
function requestUrl(origin: string, seen: string): URL | undefined {
  const { pathname, search } = new URL(seen)
  const [, path] = /^[^/]*\/\/[^/?#@]*([^?#]*)/.exec(seen) ?? []
  return path === pathname && !seen.includes('#') ? new URL(origin + pathname + search) : undefined
}

/** @throws Error that says what to change, when something else read the body first. */
function requireRawBody({ method, bodyUsed, body }: Request): void {
  // The bodies of GET and HEAD mean nothing (RFC 9110 §9.3.1) and are not read.
  if (method === 'GET' || method === 'HEAD' || (!bodyUsed && body?.locked !== true)) return
  throw new Error(
    'Mintmark needs the raw request body, and something read it first. Hand the request over before request.json(), ' +
      'request.formData(), body parsers and the like, or hand over request.clone().',
  )
}

/**
 * Fetch has joined repeated headers before anybody can look (Fetch §2.2.2). Whether a header with one value was repeated
 * shows by the comma, which none of these values may have. Of the headers that may be lists it cannot be known.
 */
function receivedRequest(request: Request, url: URL): ReceivedRequest<Request> {
  const headers = new Map(request.headers)
  const repeatedHeaders = new Set(singleValued.filter((name) => headers.get(name)?.includes(',')))
  const body: ReadBody = (limit) => readBody(request, limit)
  return { method: request.method, url, headers, repeatedHeaders, host: request, signal: () => request.signal, body }
}

/** Headers that decide something here, and whose values have no comma (RFC 9110 §5.5, §11.4; RFC 9449 §4.1; RFC 6454 §7). */
const singleValued = ['authorization', 'content-type', 'content-length', 'dpop', 'host', 'origin', 'sec-fetch-site']

async function readBody(request: Request, limit: number): ReturnType<ReadBody> {
  const reader = request.body?.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
      chunks.push(part.value)
      size += part.value.length
      // The rest stays unread and is not cancelled: to cancel closes the connection on some runtimes, before the answer.
      if (size > limit) return 'too_large'
    }
  } catch {
    // The stream fails when the client disconnects. Nobody is left to receive an error.
    return 'aborted'
  }
  return joined(chunks, size)
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const body = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    body.set(chunk, at)
    at += chunk.length
  }
  return body
}

function toResponse(method: string, { status, headers, body }: ServerResponse): Response {
  const sent = new Headers()
  // One by one: an object or a map would keep one cookie of several (RFC 6265 §3).
  for (const [name, value] of headers) sent.append(name, value)
  // The types of Response require bytes that are not shared with another thread; ours never are.
  const content = method === 'HEAD' ? null : (body as string | Uint8Array<ArrayBuffer> | undefined)
  return new Response(content ?? null, { status, headers: sent })
}
