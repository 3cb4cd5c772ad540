import type { VerifiedAccessToken } from './access-token.ts'
import type { RequiredClaims } from './required-claims.ts'
import type { RequiredAuthentication } from './required-authentication.ts'
import { metadataHeaders, metadataPreflight } from './resource-metadata.ts'
import type { AccessRule, ResourceServer } from './resource-server.ts'

/** A handler that turns a Request into a Response. The runtime or framework may pass more arguments. */
type FetchHandler<Rest extends readonly unknown[]> = (request: Request, ...rest: Rest) => Promise<Response>

/** A handler that cannot be called without a verified access token. */
type GuardedHandler<Rest extends readonly unknown[]> = (
  request: Request,
  token: VerifiedAccessToken,
  ...rest: Rest
) => Response | Promise<Response>

interface FetchGuard {
  /** Wraps a handler so that it receives only requests whose token has all the scope values; others are refused. */
  require<Rest extends readonly unknown[]>(
    scopes: readonly [string, ...string[]],
    handler: GuardedHandler<Rest>,
  ): FetchHandler<Rest>
  /**
   * Wraps a handler so that it receives only requests whose token has all the scope values, and an entry of the type in its
   * authorization details (RFC 9396). The handler must compare `token.authorizationDetails` with the request.
   */
  requireDetail<Rest extends readonly unknown[]>(
    type: string,
    scopes: readonly string[],
    handler: GuardedHandler<Rest>,
  ): FetchHandler<Rest>
  /**
   * Wraps a handler so that it receives only requests whose token has all the scope values and the required roles, groups,
   * entitlements or organization (RFC 9068 §2.2.3). Users who lack them are refused with 403 `access_denied`.
   */
  requireClaims<Rest extends readonly unknown[]>(
    required: RequiredClaims,
    scopes: readonly string[],
    handler: GuardedHandler<Rest>,
  ): FetchHandler<Rest>
  /**
   * Wraps a handler so that it receives only requests whose token has all the scope values, and whose user signed in
   * recently enough or strongly enough. Otherwise the challenge tells the client how the user must sign in (RFC 9470 §3).
   */
  requireAuthentication<Rest extends readonly unknown[]>(
    required: RequiredAuthentication,
    scopes: readonly string[],
    handler: GuardedHandler<Rest>,
  ): FetchHandler<Rest>
  /** Wraps a handler so that it receives requests with any valid token for this API, whatever its scope. */
  requireAnyToken<Rest extends readonly unknown[]>(handler: GuardedHandler<Rest>): FetchHandler<Rest>
  /** Serves the protected resource metadata, and answers preflight requests for it; returns `undefined` for every other request. */
  metadata(request: Request): Response | undefined
}

/**
 * Protects an API whose handlers turn a Request into a Response: Workers, Deno, Bun, Hono, Next.js route handlers. Answer
 * CORS preflight requests before the wrapped handlers, because they have no token.
 * @example
 * ```ts
 * const guard = protectFetch(createResourceServer({ issuer: 'https://id.example.com', audience: 'https://api.example.com' }))
 *
 * const orders = guard.require(['orders.read'], (request, token) => Response.json(ordersOf(token.subject)))
 * export default { fetch: async (request: Request) => guard.metadata(request) ?? orders(request) }
 * ```
 */
export function protectFetch(api: ResourceServer): FetchGuard {
  return {
    require: (scopes, handler) => guardHandler(api.require(...scopes), handler),
    requireDetail: (type, scopes, handler) => guardHandler(api.requireDetail(type, ...scopes), handler),
    requireClaims: (required, scopes, handler) => guardHandler(api.requireClaims(required, ...scopes), handler),
    requireAuthentication: (required, scopes, handler) =>
      guardHandler(api.requireAuthentication(required, ...scopes), handler),
    requireAnyToken: (handler) => guardHandler(api.requireAnyToken(), handler),
    metadata({ method, url }) {
      if (api.metadata === undefined || new URL(url).pathname !== api.metadata.path) return undefined
      if (method === 'OPTIONS') return new Response(null, metadataPreflight)
      return ['GET', 'HEAD'].includes(method)
        ? new Response(api.metadata.document, { headers: { ...metadataHeaders } })
        : undefined
    },
  }
}

const guardHandler =
  <Rest extends readonly unknown[]>(rule: AccessRule, handler: GuardedHandler<Rest>): FetchHandler<Rest> =>
  async (request, ...rest) => {
    let token: VerifiedAccessToken
    // Headers joins repeated headers with a comma (Fetch §2.2.2). Access tokens and proofs contain no comma.
    const valuesOf = (headerName: string): readonly string[] =>
      [...request.headers].flatMap(([name, value]) => (name === headerName ? [value] : []))
    const authorization = valuesOf('authorization')
    const { pathname } = new URL(request.url)
    try {
      token = await rule.admit(authorization, {
        method: request.method,
        path: pathname,
        proofs: valuesOf('dpop'),
        certificates: { header: valuesOf },
      })
    } catch (error) {
      const refusal = rule.renderRefusal(error, authorization)
      // Every other error is a failure for the host to handle.
      if (refusal === undefined) throw error
      return new Response(refusal.body, refusal)
    }
    return handler(request, token, ...rest)
  }
