import type { VerifiedAccessToken } from './access-token.ts'
import type { JsonResponse } from './refusals.ts'
import type { RequiredClaims } from './required-claims.ts'
import { metadataHeaders } from './resource-metadata.ts'
import type { AccessRule, ResourceServer } from './resource-server.ts'

/** The part of a node:http request that is used; Express and Connect have it too. */
interface NodeRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  /** Express: the full target, also below a mount path. */
  readonly originalUrl?: string
  readonly rawHeaders: readonly string[]
  /** A `tls.TLSSocket` has the certificate of the client. */
  readonly socket?: object
}

/** The part of a node:http response that is used. */
interface NodeResponse {
  statusCode: number
  setHeader(name: string, value: string): unknown
  end(body: string): unknown
}

/** Middleware of Express and Connect. */
type ExpressMiddleware = (
  request: NodeRequest,
  response: NodeResponse,
  next: (error?: unknown) => void,
) => void | Promise<void>

interface ExpressGuard {
  /** Middleware that admits requests whose token has all the scope values, and refuses the others. */
  require(...scopes: readonly [string, ...string[]]): ExpressMiddleware
  /**
   * Middleware that admits requests whose token has an entry of the type in its authorization details, and all the scope
   * values (RFC 9396). The handler compares `authorizationDetails` of the token with what the request is about.
   */
  requireDetail(type: string, ...scopes: readonly string[]): ExpressMiddleware
  /**
   * Middleware that admits requests whose token has the roles, groups, entitlements or organization, and all the scope values
   * (RFC 9068 §2.2.3). Users who lack them are refused with 403 `access_denied`.
   */
  requireClaims(required: RequiredClaims, ...scopes: readonly string[]): ExpressMiddleware
  /** Middleware that admits requests with any valid token for this API, whatever it allows. */
  requireAnyToken(): ExpressMiddleware
  /**
   * The token of an admitted request.
   * @throws Error when the request has not passed a middleware of `require`.
   */
  token(request: NodeRequest): VerifiedAccessToken
  /** Middleware that serves the metadata, and passes all other requests on. */
  readonly metadata: ExpressMiddleware
}

/**
 * Protects an API of Express 4 or 5, Connect or bare node:http. Answer CORS preflight requests in front of it: they have no token.
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

  const enforce =
    (rule: AccessRule): ExpressMiddleware =>
    async (request, response, next) => {
      const authorization = valuesOf('authorization', request)
      const { method = '', originalUrl, url = '' } = request
      try {
        const certificates = {
          header: (name: string) => valuesOf(name, request),
          peer: () => peerCertificate(request.socket),
        }
        const proven = { method, path: originalUrl ?? url, proofs: valuesOf('dpop', request), certificates }
        admitted.set(request, await rule.admit(authorization, proven))
      } catch (error) {
        const refusal = rule.renderRefusal(error, authorization)
        // Any other error is a failure, which the host handles.
        return refusal === undefined ? next(error) : send(response, refusal)
      }
      next()
    }

  return {
    require: (...scopes) => enforce(api.require(...scopes)),
    requireDetail: (type, ...scopes) => enforce(api.requireDetail(type, ...scopes)),
    requireClaims: (required, ...scopes) => enforce(api.requireClaims(required, ...scopes)),
    requireAnyToken: () => enforce(api.requireAnyToken()),
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

/** The certificate of a connection to Node's own TLS server. */
function peerCertificate(socket: object | undefined): Uint8Array | undefined {
  const { getPeerX509Certificate: read } = (socket ?? {}) as {
    readonly getPeerX509Certificate?: () => { readonly raw: Uint8Array } | undefined
  }
  return read?.call(socket)?.raw
}

function send(response: NodeResponse, { status, headers, body }: JsonResponse): void {
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  response.end(body)
}

/** From the raw headers: Node's `headers` drops a repeated Authorization header. */
function valuesOf(name: string, { rawHeaders }: NodeRequest): readonly string[] {
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name)
}
