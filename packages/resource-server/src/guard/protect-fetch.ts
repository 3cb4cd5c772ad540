import type { VerifiedAccessToken } from '../access-token/verified-access-token.ts'
import type { ResourceServer } from '../server/resource-server.ts'
import { metadataHeaders } from './metadata-headers.ts'

/** A handler of a runtime or framework that speaks Request and Response; the rest is whatever that one hands along. */
export type FetchHandler<Rest extends readonly unknown[]> = (request: Request, ...rest: Rest) => Promise<Response>

/** A handler that cannot be called without a verified access token. */
export type GuardedHandler<Rest extends readonly unknown[]> = (
  request: Request,
  token: VerifiedAccessToken,
  ...rest: Rest
) => Response | Promise<Response>

export interface FetchGuard {
  /** The handler, for requests whose token has all the scope values; the others are answered here. */
  require<Rest extends readonly unknown[]>(scopes: readonly string[], handler: GuardedHandler<Rest>): FetchHandler<Rest>
  /** The metadata at its address, and `undefined` for every other request. */
  metadata(request: Request): Response | undefined
}

/**
 * Guards an API that speaks Request and Response: Workers, Deno, Bun, Hono, Next.js route handlers. Answer CORS preflight
 * requests in front of it: they carry no token.
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
    require(scopes, handler) {
      const rule = api.require(...scopes)
      return async (request, ...rest) => {
        let token: VerifiedAccessToken
        try {
          // Fetch has joined repeated headers with a comma, which no bearer token has (Fetch §2.2.2).
          token = await rule.admit(
            [...request.headers].flatMap(([name, value]) => (name === 'authorization' ? [value] : [])),
          )
        } catch (error) {
          const answer = rule.renderRefusal(error)
          // What is no refusal is a failure, and the host's to handle.
          if (answer === undefined) throw error
          return new Response(answer.body, answer)
        }
        return handler(request, token, ...rest)
      }
    },
    metadata({ method, url }) {
      if (api.metadata === undefined || new URL(url).pathname !== api.metadata.path) return undefined
      return ['GET', 'HEAD'].includes(method)
        ? new Response(api.metadata.document, { headers: { ...metadataHeaders } })
        : undefined
    },
  }
}
