import {
  allowHeader,
  createService,
  json,
  matchPatterns,
  noStore,
  withHeaders,
  type Exchange,
  type HttpService,
  type Journal,
  type RequestHead,
  type Route,
  type ServerRequest,
  type ServerResponse,
} from '@mintmark/internal'
import type { AdminDependencies } from '../audit/admin-context.ts'
import { administer, administrationParts, type Administration } from '../administration.ts'
import type { AdminOccurrence } from '../audit/admin-event.ts'
import { AdminError, toAdminError } from '../error/admin-error.ts'
import type { AdminAnswer, AdminRoute } from './admin-route.ts'
import { admits, leastScope, mayGrant } from './admin-scopes.ts'
import type { AdminServerOptions } from './admin-server-options.ts'
import { authenticateAdministrator, type AdminCaller } from './authenticate-administrator.ts'
import { openApi } from './open-api.ts'
import { readBody } from './read-body.ts'
import { readQuery, readVersion, versionTag } from './read-query.ts'
import { renderProblem } from './render-problem.ts'
import { adminRoutes } from './admin-routes.ts'
import { toWire } from './wire-names.ts'
import { emptyQuery } from './wire-schemas.ts'

/** Administration over HTTP, for an adapter to serve. */
export interface AdminServer extends HttpService {
  readonly issuer: string
}

/**
 * Creates a server at `{issuer}/admin/v1`. Its OpenAPI document is at `/openapi.json` there, for everybody.
 * @throws TypeError when nobody could ever be admitted, or a custom field is not one.
 */
export function createAdminServer(options: AdminServerOptions): AdminServer {
  const { issuer, accessTokens, authorize } = options
  if (accessTokens === undefined && authorize === undefined)
    throw new TypeError('Administration needs accessTokens or authorize: nobody else is admitted.')
  const base = `${issuer}/admin/v1`
  const root = new URL(`${base}/`)
  const document = json(200, openApi(issuer, base, adminRoutes))
  const documentRoute: ServiceRoute = {
    methods: new Map([['GET', () => Promise.resolve(document)]]),
    isPublic: true,
    details: undefined,
  }
  const deps = { ...administrationParts(options), base }

  return {
    issuer,
    ...createService<AdminCaller, RouteMatch | undefined>({
      origin: root.origin,
      bodyLimit: 131_072,
      // RFC 9110 §15.5.14.
      tooLarge: () => renderProblem(new AdminError('message_too_large')),
      serves: (path) => path.startsWith(root.pathname),
      find({ method, url }) {
        const path = `/${url.pathname.slice(root.pathname.length)}`
        const isDocument = path === '/openapi.json' && (method === 'GET' || method === 'HEAD')
        return isDocument ? documentRoute : findRoute(method, path, deps)
      },
      authenticate: (request) => authenticateAdministrator(request, options),
      authorize({ caller, route }) {
        const required = route?.details?.route
        // RFC 6750 §3.1 insufficient_scope.
        if (required !== undefined && !admits(caller?.scopes ?? [], required.area, required.access))
          throw new AdminError('scope_missing')
      },
      notFound: (exchange) => renderRefusal(new AdminError('path_not_found'), exchange, deps),
      methodNotAllowed: (methods, exchange) =>
        withHeaders(renderRefusal(new AdminError('method_not_allowed'), exchange, deps), [allowHeader(methods)]),
      renderError: (error, exchange) => renderRefusal(toAdminError(error), exchange, deps),
    }),
  }
}

interface ServerDependencies extends AdminDependencies {
  readonly journal: Journal<AdminOccurrence>
  /** The URL of the API, without a trailing slash. */
  readonly base: string
}

/** The route for a method and path, with the parts of the path. */
interface RouteMatch {
  readonly route: AdminRoute
  readonly parts: ReadonlyMap<string, string>
}

type ServiceRoute = Route<AdminCaller, RouteMatch | undefined>

function findRoute(method: string, path: string, deps: ServerDependencies): ServiceRoute | undefined {
  const matches = matchPatterns(path, adminRoutes)
  if (matches.length === 0) return undefined
  const match = matches.find(({ pattern }) => pattern.method === (method === 'HEAD' ? 'GET' : method))
  return {
    methods: new Map(
      matches.map(({ pattern: route, parts }) => [
        route.method,
        (request, caller) => answer(request, { route, parts, admin: administrationFor(caller, request, deps) }, deps),
      ]),
    ),
    details: match && { route: match.pattern, parts: match.parts },
  }
}

/** Records a refusal, and renders it (RFC 9457). */
function renderRefusal(
  error: AdminError,
  { request, caller, route }: Exchange<AdminCaller, RouteMatch | undefined>,
  { journal }: ServerDependencies,
): ServerResponse {
  journal.record(request, refusedRequest(error, request, caller))
  const required = route?.details?.route
  return renderProblem(error, { scope: required && leastScope(required.area, required.access) })
}

interface AuthorizedCall extends RouteMatch {
  readonly admin: Administration
}

async function answer(
  request: ServerRequest,
  { route, parts, admin }: AuthorizedCall,
  { base }: ServerDependencies,
): Promise<ServerResponse> {
  const query = readQuery(request, route.query ?? emptyQuery)
  const body = route.body === undefined ? undefined : readBody(request, route.body)
  const version = route.heedsVersion === true ? readVersion(request) : undefined
  const part = (name: string): string => parts.get(name) ?? ''
  return rendered(route, await route.handle({ admin, query, body, version, part }), base)
}

/** In the caller's name; its events are joined to the request. */
function administrationFor(
  { actor, scopes }: AdminCaller,
  request: ServerRequest,
  { journal, ...deps }: ServerDependencies,
): Administration {
  return administer({
    ...deps,
    actor,
    record: (occurrence) => journal.record(request, occurrence),
    mayGrant: (scope) => mayGrant(scopes, scope),
  })
}

function rendered({ status }: AdminRoute, { body, version, location }: AdminAnswer, base: string): ServerResponse {
  const headers = [
    ...(version === undefined ? [] : [['ETag', versionTag(version)] as const]),
    ...(location === undefined ? [] : [['Location', base + location] as const]),
  ]
  if (body === undefined) return { status, headers: [...noStore, ...headers], body: undefined }
  return json(status, toWire(body), [...noStore, ...headers])
}

const refusedRequest = (
  { status, reason, cause }: AdminError,
  request: RequestHead,
  caller: AdminCaller | undefined,
): AdminOccurrence => ({
  type: 'request.refused',
  method: request.method,
  path: request.url.pathname,
  status,
  reason,
  actor: caller?.actor,
  cause: status >= 500 ? cause : undefined,
})
