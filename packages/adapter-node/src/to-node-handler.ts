import type { IncomingMessage, ServerResponse as OutgoingMessage } from 'node:http'
import type { Endpoint, HttpService } from '@mintmark/core/http'
import { createAnswer } from './answer.ts'
import { pathOf, requestUrl } from './request-url.ts'

/**
 * Answers a request of `node:http`, or leaves it alone.
 * @returns whether it answered. When not, nothing was read and nothing was written.
 * @throws Error when something else read the body first, in words that name the fix; TypeError when the answer has a
 *   header that cannot be sent; and whatever a page of the host throws.
 */
export type NodeHandler = (request: IncomingMessage, response: OutgoingMessage) => Promise<boolean>

/**
 * The paths of the services, for frameworks that hand out Node's own request and response: Koa's `ctx.req` and `ctx.res`,
 * Fastify's `raw`. The first service that has the path answers. It runs in front of body parsers.
 */
export function toNodeHandler(...services: readonly HttpService[]): NodeHandler {
  const answer = createAnswer()
  return async (request, response) => {
    const target = originalTarget(request)
    const path = pathOf(target)
    const service = services.find((candidate) => candidate.serves(path))
    const url = service && requestUrl(service.origin, target)
    if (service === undefined || url === undefined) return false

    await answer({ request, response, url, service }, (received) => service.handle(received))
    return true
  }
}

/**
 * A page of the host, such as its login form. The page sees requests as the service does, with the service's origin and
 * body limit; which paths reach it is up to the host's router.
 */
export function toNodeEndpoint(service: HttpService, endpoint: Endpoint): NodeHandler {
  const answer = createAnswer()
  return async (request, response) => {
    const url = requestUrl(service.origin, originalTarget(request))
    if (url === undefined) return false

    await answer({ request, response, url, service }, endpoint)
    return true
  }
}

/** As it stood in the request line: frameworks of connect's family cut their mount path off `url` and keep it here. */
const originalTarget = (request: IncomingMessage & { readonly originalUrl?: string }): string =>
  request.originalUrl ?? request.url ?? ''
