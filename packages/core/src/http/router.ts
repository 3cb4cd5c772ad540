import { isPreflight, preflightAnswer, sharedWithAll, sharingHeaders } from './cross-origin.ts'
import type { Endpoint, HttpService, Route } from './endpoint.ts'
import { onceForReady } from './ready-response.ts'
import { withHeaders, withoutBody, type ServerResponse } from './response.ts'

interface RouterOptions {
  /** Scheme, host and port of the configured issuer. */
  readonly origin: string
  /** The largest body, in bytes. */
  readonly bodyLimit: number
  /** The answer to a larger one. */
  readonly tooLarge: () => ServerResponse
  /** Every path, with what answers there. */
  readonly routes: readonly Route[]
  /** The answer to any other path. */
  readonly notFound: () => ServerResponse
  /** The answer to a method that the route does not have; `allow` is the header's value. */
  readonly methodNotAllowed: (allow: string) => ServerResponse
}

/**
 * Finds the endpoint by exact path and method. The only place in the server that catches.
 * HEAD is answered as GET, with the length of its body instead of the body (RFC 9110 §9.3.2).
 * @throws TypeError when two routes have the same path.
 */
export function createRouter(options: RouterOptions): HttpService {
  const routes = new Map(
    options.routes.map((route) => [route.path, { ...route, methods: new Map(Object.entries(route.methods)) }]),
  )
  if (routes.size < options.routes.length) throw new TypeError('Two routes have the same path.')
  const shareWithAll = onceForReady((response) => withHeaders(response, sharedWithAll))

  return {
    origin: options.origin,
    bodyLimit: options.bodyLimit,
    tooLarge: options.tooLarge,
    serves: (path) => routes.has(path),
    async handle(request) {
      const route = routes.get(request.url.pathname)
      if (route === undefined) return options.notFound()
      if (route.crossOrigin !== undefined && isPreflight(request)) return preflightAnswer(allowHeader(route.methods))

      const isHead = request.method === 'HEAD' && route.methods.has('GET')
      const endpoint = route.methods.get(isHead ? 'GET' : request.method)
      if (endpoint === undefined) return options.methodNotAllowed(allowHeader(route.methods))

      let response: ServerResponse
      try {
        response = await endpoint(request)
      } catch (error) {
        response = route.renderError(error, request)
      }
      if (route.crossOrigin === 'any_origin') response = shareWithAll(response)
      if (typeof route.crossOrigin === 'function')
        response = withHeaders(response, await sharingHeaders(route.crossOrigin, request))
      return isHead ? withoutBody(response) : response
    },
  }
}

const allowHeader = (methods: ReadonlyMap<string, Endpoint>): string =>
  [...methods.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
