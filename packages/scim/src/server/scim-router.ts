import type { RateLimiter } from '@mintmark/core'
import {
  createService,
  type Clock,
  type HttpService,
  type RequestHead,
  type Route,
  type RouteEndpoint,
  type ServerResponse,
  withHeaders,
} from '@mintmark/internal'
import type { EpochSeconds } from '@mintmark/storage-interface'

import { refusal, type ScimError, toScimError } from '../error/scim-error.ts'
import { rateLimitHeaders, renderRefusal } from '../message/scim-message.ts'
import { answeredRequest, type AnsweredRequest } from '../event/scim-event.ts'
import {
  authenticateProvider,
  type AuthenticateProviderDependencies,
  type ScimCaller,
} from '../providers/authenticate-provider.ts'
import {
  parseScimPath,
  type ScimEndpoint,
  type ScimMethods,
  type ScimPath,
  scimRoot,
  type ScimRoutes,
  tenantUrl,
} from './scim-call.ts'

interface ScimRouterDependencies extends AuthenticateProviderDependencies {
  readonly issuer: string
  readonly clock: Clock
  readonly routes: ScimRoutes
  /** Counts the requests of each provider; undefined for no limit. */
  readonly requestLimit: RateLimiter | undefined
  /** In bytes. */
  readonly bodyLimit: number
  /** Called for every refusal, before the response is sent. */
  readonly refused: (error: ScimError, request: RequestHead) => void
  /** Called for every response to an authenticated provider. */
  readonly answered: (answered: AnsweredRequest) => void
}

/** An authenticated provider, and the time of its request. */
interface Session {
  readonly caller: ScimCaller
  readonly now: EpochSeconds
}

/** Creates the HTTP service. It authenticates the provider before it reveals which endpoints exist. */
export function createScimRouter(deps: ScimRouterDependencies): HttpService {
  const root = new URL(scimRoot(deps.issuer))
  const routes = routeTable(deps)
  const answered = (request: RequestHead, session: Session | undefined, response: ServerResponse | ScimError): void => {
    if (session === undefined) return
    const error = 'detail' in response ? response : undefined
    deps.answered(answeredRequest({ request, ...session }, response, error))
  }

  return createService<Session, ScimPath>({
    origin: root.origin,
    bodyLimit: deps.bodyLimit,
    // RFC 9110 §15.5.14.
    tooLarge: () => renderRefusal(refusal('message_too_large')),
    serves: (path) => path.startsWith(root.pathname),
    find({ url }) {
      const path = parseScimPath(url.pathname.slice(root.pathname.length))
      return { methods: methodsAt(path, routes), details: path }
    },
    async authenticate(request, route) {
      const now = deps.clock()
      const caller = await authenticateProvider(request, { addressed: route?.details.providerId ?? '', now }, deps)
      return { caller, now }
    },
    // RFC 6585 §4. Only authenticated requests count, so others cannot use up the limit of a provider.
    async admit({ caller, now }) {
      const decision = await deps.requestLimit?.consume(`scim ${caller.provider.providerId}`, now)
      if (decision === undefined) return { headers: [] }
      const headers = rateLimitHeaders(decision)
      return decision.allowed ? { headers } : { headers, refusal: refusal('too_many_requests') }
    },
    notFound() {
      // RFC 7644 §3.12. Without a SCIM error body, clients delete the resources that they have linked.
      throw refusal('path_not_found')
    },
    methodNotAllowed(methods, { request, caller }) {
      // RFC 9110 §15.5.6.
      const error = refusal('method_not_allowed')
      deps.refused(error, request)
      const response = withHeaders(renderRefusal(error), [['Allow', methods.join(', ')]])
      answered(request, caller, response)
      return response
    },
    renderError(thrown, { request, caller }) {
      const error = toScimError(thrown)
      deps.refused(error, request)
      answered(request, caller, error)
      return renderRefusal(error)
    },
  })
}

type Methods = NonNullable<Route<Session, ScimPath>['methods']>

interface Collection {
  readonly collection: Methods
  readonly member: Methods | undefined
  readonly named: ReadonlyMap<string, Methods>
}

function routeTable(deps: ScimRouterDependencies): ReadonlyMap<string, Collection> {
  const toMethods = (methods: ScimMethods): Methods =>
    new Map(Object.entries(methods).map(([method, endpoint]) => [method, toRouteEndpoint(endpoint, deps)]))
  return new Map(
    Object.entries(deps.routes).map(([name, { collection, member, named = {} }]) => [
      name,
      {
        collection: toMethods(collection),
        member: member && toMethods(member),
        named: new Map(Object.entries(named).map(([id, methods]) => [id, toMethods(methods)])),
      },
    ]),
  )
}

const toRouteEndpoint =
  (endpoint: ScimEndpoint, deps: ScimRouterDependencies): RouteEndpoint<Session, ScimPath> =>
  async (request, { caller, now }, { id }) => {
    const baseUrl = tenantUrl(deps.issuer, caller.provider.providerId)
    const response = await endpoint({ request, caller, baseUrl, id, now })
    deps.answered(answeredRequest({ request, caller, now }, response))
    return response
  }

function methodsAt({ collection, id }: ScimPath, routes: ReadonlyMap<string, Collection>): Methods | undefined {
  const found = routes.get(collection)
  return id === '' ? found?.collection : (found?.named.get(id) ?? found?.member)
}
