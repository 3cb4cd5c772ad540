import type { Endpoint, HttpService } from '@mintmark/core/http'
import { readRequest } from '@mintmark/internal'
import type { IncomingMessage, ServerResponse as OutgoingMessage } from 'node:http'
import { createAnswer } from './answer.ts'

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
    const target = originalTarget(request)
    const path = pathOf(target)
    const service = services.find((candidate) => candidate.serves(path))
    const url = service && requestUrl(service.origin, target)
    if (service === undefined || url === undefined) return false

    await answer({ request, response, url }, (received) => service.handle(received))
    return true
  }
}

/**
 * A page of the host, such as its login form. The page receives requests as the service does, with the service's origin and
 * body limit; which paths reach it is up to the host's router.
 */
export function toNodeEndpoint(service: HttpService, endpoint: Endpoint): NodeHandler {
  const answer = createAnswer()
  return async (request, response) => {
    const url = requestUrl(service.origin, originalTarget(request))
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
