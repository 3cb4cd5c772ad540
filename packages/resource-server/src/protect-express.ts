import type { VerifiedAccessToken } from './access-token.ts'
import type { JsonResponse } from './refusals.ts'
import type { RequiredClaims } from './required-claims.ts'
import type { RequiredAuthentication } from './required-authentication.ts'
import { metadataHeaders, metadataPreflight } from './resource-metadata.ts'
import type { AccessRule, ResourceServer } from './resource-server.ts'

/** The members of a node:http request that are used here. Requests of Express and Connect have them too. */
interface NodeRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  /** Express: the full request target, even below a mount path. */
  readonly originalUrl?: string
  readonly rawHeaders: readonly string[]
  /** If it is a `tls.TLSSocket`, it has the certificate of the client. */
  readonly socket?: object
}

/** The members of a node:http response that are used here. */
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
  /** Returns middleware that admits requests whose token has all the scope values, and refuses other requests. */
  require(...scopes: readonly [string, ...string[]]): ExpressMiddleware
  /**
   * Returns middleware that admits requests whose token has all the scope values, and an entry of the type in its
   * authorization details (RFC 9396). The handler must compare the `authorizationDetails` of the token with the request.
   */
  requireDetail(type: string, ...scopes: readonly string[]): ExpressMiddleware
  /**
   * Returns middleware that admits requests whose token has all the scope values and the required roles, groups,
   * entitlements or organization (RFC 9068 §2.2.3). It refuses users who lack them with 403 `access_denied`.
   */
  requireClaims(required: RequiredClaims, ...scopes: readonly string[]): ExpressMiddleware
  /**
   * Returns middleware that admits requests whose token has all the scope values, and whose user signed in recently
   * enough or strongly enough. Otherwise the challenge tells the client how the user must sign in (RFC 9470 §3).
   */
  requireAuthentication(required: RequiredAuthentication, ...scopes: readonly string[]): ExpressMiddleware
  /** Returns middleware that admits requests with any valid token for this API, whatever its scope. */
  requireAnyToken(): ExpressMiddleware
  /**
   * Returns the token of an admitted request.
   * @throws Error when no middleware of this guard has admitted the request.
   */
  token(request: NodeRequest): VerifiedAccessToken
  /** Middleware that serves the protected resource metadata, answers preflight requests for it, and passes all other requests on. */
  readonly metadata: ExpressMiddleware
}

/**
 * Protects an API in Express 4 or 5, Connect or plain node:http. Answer CORS preflight requests before this middleware,
 * because they have no token.
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
        // Every other error is a failure for the host to handle.
        return refusal === undefined ? next(error) : send(response, refusal)
      }
      next()
    }

  return {
    require: (...scopes) => enforce(api.require(...scopes)),
    requireDetail: (type, ...scopes) => enforce(api.requireDetail(type, ...scopes)),
    requireClaims: (required, ...scopes) => enforce(api.requireClaims(required, ...scopes)),
    requireAuthentication: (required, ...scopes) => enforce(api.requireAuthentication(required, ...scopes)),
    requireAnyToken: () => enforce(api.requireAnyToken()),
    token(request) {
      const token = admitted.get(request)
      if (token === undefined)
        throw new Error('No access token was verified for this request. Put guard.require(…) in front of its handler.')
      return token
    },
    metadata(request, response, next) {
      const [path] = (request.originalUrl ?? request.url ?? '').split('?', 1)
      if (api.metadata === undefined || path !== api.metadata.path) return next()
      if (request.method === 'OPTIONS') return send(response, { ...metadataPreflight, body: '' })
      if (!['GET', 'HEAD'].includes(request.method ?? '')) return next()
      send(response, { status: 200, headers: metadataHeaders, body: api.metadata.document })
    },
  }
}

/** Returns the certificate that the client presented on a connection to Node's own TLS server. */
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

/** Returns all values of a header, from the raw headers: Node's `headers` drops a repeated Authorization header. */
function valuesOf(name: string, { rawHeaders }: NodeRequest): readonly string[] {
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name)
}
