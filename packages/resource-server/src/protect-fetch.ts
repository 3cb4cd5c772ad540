import type { VerifiedAccessToken } from './access-token.ts'
import type { RequiredClaims } from './required-claims.ts'
import { metadataHeaders } from './resource-metadata.ts'
import type { AccessRule, ResourceServer } from './resource-server.ts'

/** A handler from Request to Response, with whatever else the runtime or framework passes. */
type FetchHandler<Rest extends readonly unknown[]> = (request: Request, ...rest: Rest) => Promise<Response>

/** A handler that cannot be called without a verified access token. */
type GuardedHandler<Rest extends readonly unknown[]> = (
  request: Request,
  token: VerifiedAccessToken,
  ...rest: Rest
) => Response | Promise<Response>

interface FetchGuard {
  /** Wraps a handler: requests whose token has all the scope values reach it, the others are refused. */
  require<Rest extends readonly unknown[]>(
    scopes: readonly [string, ...string[]],
    handler: GuardedHandler<Rest>,
  ): FetchHandler<Rest>
  /**
   * Wraps a handler: requests whose token has an entry of the type in its authorization details, and all the scope values,
   * reach it (RFC 9396). The handler compares `token.authorizationDetails` with what the request is about.
   */
  requireDetail<Rest extends readonly unknown[]>(
    type: string,
    scopes: readonly string[],
    handler: GuardedHandler<Rest>,
  ): FetchHandler<Rest>
  /**
   * Wraps a handler: requests whose token has the roles, groups, entitlements or organization, and all the scope values, reach
   * it (RFC 9068 §2.2.3). Users who lack them are refused with 403 `access_denied`.
   */
  requireClaims<Rest extends readonly unknown[]>(
    required: RequiredClaims,
    scopes: readonly string[],
    handler: GuardedHandler<Rest>,
  ): FetchHandler<Rest>
  /** Wraps a handler: requests with any valid token for this API reach it, whatever the token allows. */
  requireAnyToken<Rest extends readonly unknown[]>(handler: GuardedHandler<Rest>): FetchHandler<Rest>
  /** Serves the metadata; `undefined` for every other request. */
  metadata(request: Request): Response | undefined
}

/**
 * Protects an API of functions from Request to Response: Workers, Deno, Bun, Hono, Next.js route handlers. Answer CORS
 * preflight requests in front of it: they have no token.
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
    require: (scopes, handler) => guarded(api.require(...scopes), handler),
    requireDetail: (type, scopes, handler) => guarded(api.requireDetail(type, ...scopes), handler),
    requireClaims: (required, scopes, handler) => guarded(api.requireClaims(required, ...scopes), handler),
    requireAnyToken: (handler) => guarded(api.requireAnyToken(), handler),
    metadata({ method, url }) {
      if (api.metadata === undefined || new URL(url).pathname !== api.metadata.path) return undefined
      return ['GET', 'HEAD'].includes(method)
        ? new Response(api.metadata.document, { headers: { ...metadataHeaders } })
        : undefined
    },
  }
}

const guarded =
  <Rest extends readonly unknown[]>(rule: AccessRule, handler: GuardedHandler<Rest>): FetchHandler<Rest> =>
  async (request, ...rest) => {
    let token: VerifiedAccessToken
    // Headers joins repeated headers with a comma, which no access token and no proof contains (Fetch §2.2.2).
    const valuesOf = (wanted: string): readonly string[] =>
      [...request.headers].flatMap(([name, value]) => (name === wanted ? [value] : []))
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
      // Any other error is a failure, which the host handles.
      if (refusal === undefined) throw error
      return new Response(refusal.body, refusal)
    }
    return handler(request, token, ...rest)
  }
