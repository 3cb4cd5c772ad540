import type { RateLimiter } from '@mintmark/core'
import {
  type Header,
  type HttpService,
  type ServerRequest,
  type ServerResponse,
  withHeaders,
  withoutBody,
} from '@mintmark/core/http'
import type { Clock } from '@mintmark/internal'
import type { EpochSeconds } from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import { renderRefusal } from '../error/render-refusal.ts'
import type { ScimError } from '../error/scim-error.ts'
import { toScimError } from '../error/to-scim-error.ts'
import { answeredRequest, type AnsweredRequest } from '../event/answered-request.ts'
import {
  authenticateProvider,
  type AuthenticateProviderDependencies,
  type ScimCaller,
} from '../providers/authenticate-provider.ts'
import { rateLimitHeaders } from '../rate-limit/rate-limit-headers.ts'
import type { ScimEndpoint, ScimMethods, ScimRoutes } from './scim-call.ts'
import { parseScimPath, type ScimPath, scimRoot, tenantUrl } from './scim-path.ts'

interface ScimRouterDependencies extends AuthenticateProviderDependencies {
  readonly issuer: string
  readonly clock: Clock
  readonly routes: ScimRoutes
  /** Counts the requests of each provider; undefined when nobody counts. */
  readonly requestLimit: RateLimiter | undefined
  /** In bytes. */
  readonly bodyLimit: number
  /** Told of every refusal before it is answered. */
  readonly refused: (error: ScimError, request: ServerRequest) => void
  /** Told of every answer to a provider that has proved who it is. */
  readonly answered: (answered: AnsweredRequest) => void
}

/** Finds who calls, and then the endpoint. The only place in the server that catches. */
export function createScimRouter(deps: ScimRouterDependencies): HttpService {
  const root = new URL(scimRoot(deps.issuer))

  return {
    origin: root.origin,
    bodyLimit: deps.bodyLimit,
    // RFC 9110 §15.5.14. Nobody has been asked who they are yet.
    tooLarge: () => renderRefusal(refusal('message_too_large')),
    serves: (path) => path.startsWith(root.pathname),
    async handle(request) {
      const path = parseScimPath(request.url.pathname.slice(root.pathname.length))
      const now = deps.clock()
      let caller: ScimCaller | undefined
      let rateLimit: readonly Header[] = []
      try {
        caller = await authenticateProvider(request, { addressed: path.providerId, now }, deps)
        const decision = await deps.requestLimit?.consume(`scim ${caller.provider.providerId}`, now)
        if (decision !== undefined) rateLimit = rateLimitHeaders(decision)
        // RFC 6585 §4. Who has not proved who they are is not counted: nobody uses up what is a provider's.
        if (decision?.allowed === false) throw refusal('too_many_requests')
        const response = await answer({ request, caller, now }, path, deps)
        deps.answered(answeredRequest({ request, caller, now }, response))
        return withHeaders(response, rateLimit)
      } catch (thrown) {
        const error = toScimError(thrown)
        deps.refused(error, request)
        if (caller !== undefined) deps.answered(answeredRequest({ request, caller, now }, error, error))
        return withHeaders(renderRefusal(error), rateLimit)
      }
    },
  }
}

interface Asked {
  readonly request: ServerRequest
  readonly caller: ScimCaller
  readonly now: EpochSeconds
}

async function answer(
  { request, caller, now }: Asked,
  path: ScimPath,
  deps: ScimRouterDependencies,
): Promise<ServerResponse> {
  const methods = methodsAt(path, deps.routes)
  // RFC 7644 §3.12: also what is not there is answered as an error of SCIM; without one, clients drop what they have linked.
  if (methods === undefined) throw refusal('path_not_found')

  const isHead = request.method === 'HEAD'
  const endpoint = endpointOf(methods, isHead ? 'GET' : request.method)
  if (endpoint === undefined) {
    // RFC 9110 §15.5.6: with the methods that there are.
    const error = refusal('method_not_allowed')
    deps.refused(error, request)
    return withHeaders(renderRefusal(error), [['Allow', Object.keys(methods).join(', ')]])
  }
  const baseUrl = tenantUrl(deps.issuer, caller.provider.providerId)
  const response = await endpoint({ request, caller, baseUrl, id: path.id, now })
  return isHead ? withoutBody(response) : response
}

function methodsAt({ collection, id }: ScimPath, routes: ScimRoutes): ScimMethods | undefined {
  const found = Object.hasOwn(routes, collection) ? routes[collection] : undefined
  if (found === undefined || id === '') return found?.collection
  return found.named !== undefined && Object.hasOwn(found.named, id) ? found.named[id] : found.member
}

const endpointOf = (methods: ScimMethods, method: string): ScimEndpoint | undefined =>
  Object.hasOwn(methods, method) ? methods[method] : undefined
