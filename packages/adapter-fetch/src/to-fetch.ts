import type { Endpoint, HttpService, ServerResponse } from '@mintmark/core/http'
import { readRequest } from './read-request.ts'
import { requestUrl } from './request-url.ts'

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
  return async (request) => {
    const path = new URL(request.url).pathname
    const service = services.find((candidate) => candidate.serves(path))
    return service && answer(service, request, (received) => service.handle(received))
  }
}

/**
 * A page of the host, such as its login form. The page sees requests as the service does, with the service's origin and
 * body limit; which paths reach it is up to the host's router. `undefined` when no page can have such an address.
 */
export const toFetchEndpoint =
  (service: HttpService, endpoint: Endpoint): ((request: Request) => Promise<Response | undefined>) =>
  (request) =>
    answer(service, request, endpoint)

/**
 * @throws Error when something else read the body first; TypeError when the answer has a header that cannot be sent; and
 *   whatever the endpoint throws.
 */
async function answer(service: HttpService, request: Request, endpoint: Endpoint): Promise<Response | undefined> {
  const url = requestUrl(service.origin, request.url)
  if (url === undefined) return undefined

  const received = await readRequest(request, url, service.bodyLimit)
  // Nobody is there to read it, but a runtime wants some answer.
  if (received === 'aborted') return new Response(null, { status: 400 })
  return toResponse(request.method, received === 'too_large' ? service.tooLarge() : await endpoint(received))
}

function toResponse(method: string, { status, headers, body }: ServerResponse): Response {
  const sent = new Headers()
  // One by one: an object or a map would keep one cookie of several (RFC 6265 §3).
  for (const [name, value] of headers) sent.append(name, value)
  // The types of Response ask for bytes that are not shared with another thread; ours never are.
  const content = method === 'HEAD' ? null : (body as string | Uint8Array<ArrayBuffer> | undefined)
  return new Response(content ?? null, { status, headers: sent })
}
