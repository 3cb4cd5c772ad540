// One file: the steps of answering a SCIM request are in this file, because their order matters.

import { createMemoryRateLimiter, type RateLimiter } from '@mintmark/core'
import {
  type Admission,
  createService,
  type Exchange,
  type Clock,
  type Header,
  type HttpService,
  type RequestHead,
  type Route,
  type RouteEndpoint,
  type ServerResponse,
  type Turns,
  utf8Length,
  withHeaders,
} from '@mintmark/internal'
import type { RateDecision } from '@mintmark/core/internal'
import type { EpochSeconds } from '@mintmark/storage-interface'
import type { ProviderId } from '@mintmark/storage-interface/stores'

import { refuse, type ScimError, toScimError } from './error/scim-error.ts'
import { rateLimitHeaders, renderRefusal } from './call/scim-message.ts'
import { answeredRequest, type AnsweredRequest } from './event/scim-event.ts'
import {
  authenticateProvider,
  type AuthenticateProviderDependencies,
  type ScimCaller,
} from './providers/authenticate-provider.ts'
import { parseScimPath, type ScimPath, scimRoot, tenantUrl } from './values/scim-path.ts'
import type { ScimEndpoint, ScimMethods, ScimRoutes } from './call/scim-call.ts'
import { createProviderLoad, type ProviderLoad } from './limits/provider-load.ts'
import { createWorkBudget } from './limits/work-budget.ts'
import type { ScimLimits } from './limits/scim-limits.ts'
import {
  authenticateRevocation,
  type AuthenticateRevocationDependencies,
  revocationPath,
} from './universal-logout/authenticate-request.ts'

interface ScimRouterDependencies extends AuthenticateProviderDependencies {
  readonly issuer: string
  readonly clock: Clock
  readonly routes: ScimRoutes
  /** Counts the requests of each provider. @defaultValue 12,000 a minute, in memory. */
  readonly requestLimit: RateLimiter | 'unlimited' | undefined
  readonly limits: ScimLimits
  readonly turns: Turns
  /** Undefined if the host has not switched Universal Logout on. */
  readonly universalLogout: AuthenticateRevocationDependencies | undefined
  /** Records a refusal, and returns the header that names its event. */
  readonly recordRefusal: (error: ScimError, request: RequestHead) => Header
  /** Called for every response to an authenticated provider. */
  readonly notifyAnswered: (answered: AnsweredRequest) => void
}

/** An authenticated provider, and the time of its request. */
interface AuthenticatedRequest {
  readonly caller: ScimCaller
  readonly now: EpochSeconds
}

/** Creates the HTTP service. It authenticates the provider before it reveals which endpoints exist. */
export function createScimRouter(routerDeps: ScimRouterDependencies): HttpService {
  const deps = { ...routerDeps, requestLimit: routerDeps.requestLimit ?? defaultRequestLimit() }
  const root = new URL(scimRoot(deps.issuer))
  const load = createProviderLoad(deps.limits)
  const routes = routeTable({ ...deps, load })
  const notify = (
    request: RequestHead,
    authenticated: AuthenticatedRequest | undefined,
    response: ServerResponse | ScimError,
  ): void => {
    if (authenticated === undefined) return
    const error = 'detail' in response ? response : undefined
    deps.notifyAnswered(answeredRequest({ request, ...authenticated }, response, error))
  }

  function respondWith(
    error: ScimError,
    { request, caller }: Exchange<AuthenticatedRequest, ScimPath>,
  ): ServerResponse {
    const header = deps.recordRefusal(error, request)
    notify(request, caller, error)
    return withHeaders(renderRefusal(error), [header])
  }

  return createService<AuthenticatedRequest, ScimPath>({
    origin: root.origin,
    bodyLimit: deps.limits.payloadBytes,
    serves: (path) => path.startsWith(root.pathname),
    find({ url }) {
      const path = parseScimPath(url.pathname.slice(root.pathname.length))
      const methods = methodsAt(path, routes)
      return { methods, template: methods && root.pathname + templateOf(path, routes), details: path }
    },
    async authenticate(request, route) {
      const now = deps.clock()
      return { caller: await authenticateCaller(request, { path: route?.details, now }, deps), now }
    },
    // RFC 6585 §4. Only authenticated requests count, so others cannot use up the limit of a provider.
    async admit({ caller, now }, _, { atMostBytes }) {
      const { providerId } = caller.provider
      const decision = await countRequests({ providerId, now, count: 1 }, deps)
      const headers = decision === undefined ? [] : rateLimitHeaders(decision)
      if (decision?.allowed === false) return { headers, refusal: refuse('too_many_requests') }
      const release = load.reserve(providerId, atMostBytes)
      if (typeof release === 'function') return { headers, release }
      return release === 'provider_full' ? busyAdmission : fullAdmission
    },
    tooLarge: (exchange) => respondWith(refuse('message_too_large'), exchange),
    notFound() {
      // RFC 7644 §3.12. Without a SCIM error body, clients delete the resources that they have linked.
      throw refuse('path_not_found')
    },
    methodNotAllowed(methods, { request, caller }) {
      const error = refuse('method_not_allowed')
      const response = withHeaders(renderRefusal(error), [
        ['Allow', methods.join(', ')],
        deps.recordRefusal(error, request),
      ])
      notify(request, caller, response)
      return response
    },
    renderError: (thrown, exchange) => respondWith(toScimError(thrown), exchange),
  })
}

/** Authenticates a provider by the credentials that its endpoint accepts. */
function authenticateCaller(
  request: RequestHead,
  { path, now }: { readonly path: ScimPath | undefined; readonly now: EpochSeconds },
  deps: ScimRouterDependencies,
): Promise<ScimCaller> {
  const target = { addressed: path?.providerId ?? '', now }
  return path?.collection === revocationPath && deps.universalLogout !== undefined
    ? authenticateRevocation(request, target, deps.universalLogout)
    : authenticateProvider(request, target, deps)
}

type Methods = NonNullable<Route<AuthenticatedRequest, ScimPath>['methods']>

interface Collection {
  readonly collection: Methods
  readonly member: Methods | undefined
  readonly named: ReadonlyMap<string, Methods>
}

function routeTable(deps: EndpointDependencies): ReadonlyMap<string, Collection> {
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
  (endpoint: ScimEndpoint, deps: EndpointDependencies): RouteEndpoint<AuthenticatedRequest, ScimPath> =>
  async (request, { caller, now }, { collection, id }) => {
    const { providerId } = caller.provider
    const isReading = isRead(request, { collection, id })
    const signal = isReading ? request.signal?.() : undefined
    const leave = await deps.load.enter(providerId)
    // RFC 6585 §4: too many requests of the provider are already waiting.
    if (leave === undefined) throw refuse('too_many_requests', { retryAfter: 1 })
    const reservations: (() => void)[] = []
    let checkedAt = now
    const authenticateAgain = async (): Promise<void> => {
      const nextCheckAt = deps.clock()
      if (nextCheckAt <= checkedAt) return
      checkedAt = nextCheckAt
      await authenticateProvider(request, { addressed: providerId, now: nextCheckAt }, deps)
    }
    try {
      signal?.throwIfAborted()
      // The credentials may have become invalid while the request waited.
      await authenticateAgain()
      const response = await endpoint({
        request,
        caller,
        baseUrl: tenantUrl(deps.issuer, providerId),
        id,
        now,
        authenticateAgain,
        turns: signal === undefined ? deps.turns : abortable(deps.turns, signal),
        signal,
        limits: deps.limits,
        work: createWorkBudget(deps.limits.work),
        async waitForRoom(bytes) {
          // An operation of a Bulk request does not wait for memory of an earlier operation, whose response is
          // discarded.
          for (const release of reservations.splice(0)) release()
          if (bytes <= largeResponse) return
          const reservation = deps.load.waitForRoom(providerId, bytes)
          // RFC 9110 §15.6.4.
          if (reservation === undefined) throw refuse('server_full', { retryAfter: 1 })
          reservations.push(await reservation)
          signal?.throwIfAborted()
          // A write is done already, and its response says so.
          if (isReading) await authenticateAgain()
        },
        async countOperations(count) {
          const decision = await countRequests({ providerId, now, count }, deps)
          if (decision?.allowed === false) throw refuse('too_many_requests', { retryAfter: decision.retryAfter })
        },
      })
      const { body = '' } = response
      const bytes = typeof body === 'string' ? utf8Length(body) : body.length
      if (bytes > largeResponse) request.sent?.(deps.load.hold(providerId, bytes))
      deps.notifyAnswered(answeredRequest({ request, caller, now }, response))
      return response
    } finally {
      for (const release of reservations) release()
      leave()
    }
  }

/**
 * Returns whether a request only reads, so that it may stop when its client has disconnected. A write continues: the
 * client may have given up because the write was slow, and half of a Bulk request helps nobody.
 */
const isRead = ({ method }: RequestHead, { collection, id }: Pick<ScimPath, 'collection' | 'id'>): boolean =>
  method === 'GET' || method === 'HEAD' || collection === '.search' || id === '.search'

/** Returns turns that abort the work when the client has disconnected. */
const abortable = (turns: Turns, signal: AbortSignal): Turns => ({
  hasEnded: () => signal.aborted || turns.hasEnded(),
  async next() {
    signal.throwIfAborted()
    await turns.next()
    signal.throwIfAborted()
  },
})

interface EndpointDependencies extends ScimRouterDependencies {
  readonly requestLimit: RateLimiter | 'unlimited'
  readonly load: ProviderLoad
}

/** In bytes. A smaller response is sent at once. */
const largeResponse = 65_536

const fullAdmission: Admission = { headers: [['Retry-After', '1']], refusal: refuse('server_full', { retryAfter: 1 }) }

const busyAdmission: Admission = { headers: [['Retry-After', '1']], refusal: refuse('too_many_requests') }

async function countRequests(
  { providerId, now, count }: { readonly providerId: ProviderId; readonly now: EpochSeconds; readonly count: number },
  { requestLimit }: Pick<EndpointDependencies, 'requestLimit'>,
): Promise<RateDecision | undefined> {
  // A Bulk request of one operation has no further operations, and an empty one would give back the point that it costs.
  if (requestLimit === 'unlimited' || count < 1) return undefined
  return requestLimit.consume(`scim ${providerId}`, now, count)
}

/**
 * Creates the default limiter. Responses show its quota only when it is used up, because the host did not choose the
 * limit for clients to adapt to.
 */
function defaultRequestLimit(): RateLimiter {
  const limiter = createMemoryRateLimiter({ points: 12_000, window: 60 })
  return {
    async consume(...attempt) {
      const { quota, ...decision } = await limiter.consume(...attempt)
      return decision.allowed ? decision : { ...decision, quota }
    },
  }
}

function methodsAt({ collection, id }: ScimPath, routes: ReadonlyMap<string, Collection>): Methods | undefined {
  const found = routes.get(collection)
  return id === '' ? found?.collection : (found?.named.get(id) ?? found?.member)
}

/** Returns the template of a path that exists. Requests may write the name of the collection in any case. */
function templateOf({ collection, id }: ScimPath, routes: ReadonlyMap<string, Collection>): string {
  const item = routes.get(collection)?.named.has(id) === true ? id : '{id}'
  return id === '' ? `{provider}/${collection}` : `{provider}/${collection}/${item}`
}
