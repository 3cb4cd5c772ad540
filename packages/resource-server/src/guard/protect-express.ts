import type { JsonAnswer } from '../access/render-access-refusal.ts'
import type { VerifiedAccessToken } from '../access-token/verified-access-token.ts'
import type { ResourceServer } from '../server/resource-server.ts'
import { metadataHeaders } from './metadata-headers.ts'

/** What is asked of a request of node:http, and so of Express, Connect and their kin. */
export interface NodeRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  /** Express: the target as it came, also below a mount path. */
  readonly originalUrl?: string
  readonly rawHeaders: readonly string[]
}

/** What is asked of a response of node:http. */
export interface NodeResponse {
  statusCode: number
  setHeader(name: string, value: string): unknown
  end(body: string): unknown
}

/** Middleware as Express and Connect have it. */
export type ExpressMiddleware = (
  request: NodeRequest,
  response: NodeResponse,
  next: (error?: unknown) => void,
) => void | Promise<void>

export interface ExpressGuard {
  /** Middleware that lets in requests whose token has all the scope values, and answers the others. */
  require(...scopes: readonly string[]): ExpressMiddleware
  /**
   * The token of a request that was let in.
   * @throws Error when no middleware of `require` has looked at the request.
   */
  token(request: NodeRequest): VerifiedAccessToken
  /** Middleware that answers at the address of the metadata, and leaves all other requests to the host. */
  readonly metadata: ExpressMiddleware
}

/**
 * Guards an API of Express 4 or 5, Connect or bare node:http. Answer CORS preflight requests in front of it: they carry no token.
 * @example
 * ```ts
 * const guard = protectExpress(createResourceServer({ issuer: 'https://id.example.com', audience: 'https://api.example.com' }))
 *
 * app.use(guard.metadata)
 * app.get('/orders', guard.require('orders.read'), (request, response) => {
 *   response.json(ordersOf(guard.token(request).subject))
 * })
 * ```
 */
export function protectExpress(api: ResourceServer): ExpressGuard {
  const admitted = new WeakMap<object, VerifiedAccessToken>()

  return {
    require(...scopes) {
      const rule = api.require(...scopes)
      return async (request, response, next) => {
        try {
          admitted.set(request, await rule.admit(authorizationOf(request)))
        } catch (error) {
          const answer = rule.renderRefusal(error)
          // What is no refusal is a failure, and the host's to handle.
          return answer === undefined ? next(error) : send(response, answer)
        }
        next()
      }
    },
    token(request) {
      const token = admitted.get(request)
      if (token === undefined)
        throw new Error('No access token was verified for this request: put guard.require(…) in front of its handler.')
      return token
    },
    metadata(request, response, next) {
      const [path] = (request.originalUrl ?? request.url ?? '').split('?', 1)
      if (api.metadata === undefined || path !== api.metadata.path || !['GET', 'HEAD'].includes(request.method ?? ''))
        return next()
      send(response, { status: 200, headers: metadataHeaders, body: api.metadata.document })
    },
  }
}

function send(response: NodeResponse, { status, headers, body }: JsonAnswer): void {
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  response.end(body)
}

/** From the raw list: Node's own collection drops a repeated Authorization header. */
function authorizationOf({ rawHeaders }: NodeRequest): readonly string[] {
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'authorization')
}
