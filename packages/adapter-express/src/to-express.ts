import { toNodeEndpoint, toNodeHandler } from '@mintmark/adapter-node'
import type { Endpoint, HttpService } from '@mintmark/core/http'
import type { RequestHandler } from 'express'

/**
 * Express 5 middleware that answers the paths of the services and leaves every other request to the host; the first
 * service that has the path answers. Mount it in front of `express.json()` and other body parsers.
 *
 * The services know their own full paths, so `app.use(toExpress(server))` is right for an issuer with a path too. Mounted
 * below a path, it also has to be given the root's well-known addresses: `app.use(['/id', '/.well-known'], toExpress(server))`.
 * @throws Error when it is mounted below a path that the issuer does not have, at the first request that shows it.
 */
export function toExpress(...services: readonly HttpService[]): RequestHandler {
  const handle = toNodeHandler(...services)
  return async (request, response, next) => {
    if (await handle(request, response)) return

    const [path = ''] = request.originalUrl.split('?', 1)
    refuseMisplaced(path, request.baseUrl, services)
    next()
  }
}

/** A service that would have the path if the mount path were not in front of it would otherwise be silent: 404 for everything. */
function refuseMisplaced(path: string, mountPath: string, services: readonly HttpService[]): void {
  const below = path.slice(mountPath.length)
  const isRightMount = mountPath === '' || `${below}/`.includes(`${mountPath}/`)
  if (isRightMount || !services.some((candidate) => candidate.serves(below))) return
  throw new Error(
    `toExpress(…) is mounted below ${mountPath}, where the issuer has no path ${mountPath}. Mount it with app.use(toExpress(…)), or add ${mountPath} to the issuer.`,
  )
}

/**
 * A page of the host, such as its login form, as an Express 5 handler: `app.all('/login', toExpressEndpoint(server, page))`.
 * The page sees requests as the service does, with the service's origin and body limit; what it throws goes to the host's
 * error handler.
 */
export function toExpressEndpoint(service: HttpService, endpoint: Endpoint): RequestHandler {
  const handle = toNodeEndpoint(service, endpoint)
  return async (request, response, next) => {
    if (!(await handle(request, response))) next()
  }
}
