import { toNodeEndpoint, toNodeHandler } from '@mintmark/adapter-node'
import type { Endpoint, HttpService } from '@mintmark/core/http'
import type { RequestHandler } from 'express'

/**
 * Creates Express 5 middleware that answers the paths of the services, and passes all other requests to the host. The first
 * service that serves a path answers it. Mount it before `express.json()` and other body parsers.
 *
 * The services know their own full paths, so `app.use(toExpress(server))` is right even for an issuer with a path. If you
 * mount it below a path, mount it at the root's well-known addresses too:
 * `app.use(['/id', '/.well-known'], toExpress(server))`.
 * @throws Error when the middleware is mounted below a path that is not part of the issuer, at the first request that shows
 *   it.
 */
export function toExpress(...services: readonly HttpService[]): RequestHandler {
  const handle = toNodeHandler(...services)
  return async (request, response, next) => {
    if (await handle(request, response)) return

    const [path = ''] = request.originalUrl.split('?', 1)
    checkMountPath(path, request.baseUrl, services)
    next()
  }
}

/** Throws if a service would serve the path without the mount path; otherwise every response would be a 404. */
function checkMountPath(path: string, mountPath: string, services: readonly HttpService[]): void {
  const below = path.slice(mountPath.length)
  const isRightMount = mountPath === '' || `${below}/`.includes(`${mountPath}/`)
  if (isRightMount || !services.some((candidate) => candidate.serves(below))) return
  throw new Error(
    `toExpress(…) is mounted below ${mountPath}, but the path of the issuer does not contain ${mountPath}. Mount it with app.use(toExpress(…)), or add ${mountPath} to the issuer.`,
  )
}

/**
 * Turns a page of the host, such as its login form, into an Express 5 handler:
 * `app.all('/login', toExpressEndpoint(server, page))`. The page receives requests as the service does, with the service's
 * origin and body limit. Errors of the page go to the host's error handler.
 */
export function toExpressEndpoint(service: HttpService, endpoint: Endpoint): RequestHandler {
  const handle = toNodeEndpoint(service, endpoint)
  return async (request, response, next) => {
    if (!(await handle(request, response))) next()
  }
}
