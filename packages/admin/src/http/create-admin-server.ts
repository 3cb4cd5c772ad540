import {
  json,
  noStore,
  withHeaders,
  withoutBody,
  type HttpService,
  type Journal,
  type ServerRequest,
  type ServerResponse,
} from '@mintmark/core/http'

import type { AdminDependencies } from '../audit/admin-context.ts'
import { administer, administrationParts, type Administration } from '../administration.ts'
import type { AdminOccurrence } from '../audit/admin-event.ts'
import { AdminError, toAdminError } from '../error/admin-error.ts'
import type { AdminAnswer, AdminRoute } from './admin-route.ts'
import { admits, leastScope, mayGrant } from './admin-scopes.ts'
import type { AdminServerOptions } from './admin-server-options.ts'
import { authenticateAdministrator, type AdminCaller } from './authenticate-administrator.ts'
import { matchRoute } from './match-route.ts'
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
  const deps = { ...administrationParts(options), options, base }

  return {
    issuer,
    origin: root.origin,
    bodyLimit: 131_072,
    // RFC 9110 §15.5.14. Nobody has been asked who they are yet.
    tooLarge: () => renderProblem(new AdminError('message_too_large')),
    serves: (path) => path.startsWith(root.pathname),
    async handle(request) {
      const path = `/${request.url.pathname.slice(root.pathname.length)}`
      const isRead = request.method === 'GET' || request.method === 'HEAD'
      const response = path === '/openapi.json' && isRead ? document : await answer(request, path, deps)
      return request.method === 'HEAD' ? withoutBody(response) : response
    },
  }
}

interface ServerDependencies extends AdminDependencies {
  readonly journal: Journal<AdminOccurrence>
  readonly options: AdminServerOptions
  /** The address that everything is below, without a slash at its end. */
  readonly base: string
}

/** The only place in the server that catches. */
async function answer(request: ServerRequest, path: string, deps: ServerDependencies): Promise<ServerResponse> {
  let caller: AdminCaller | undefined
  let headers: readonly (readonly [string, string])[] = []
  let scope: string | undefined
  try {
    caller = await authenticateAdministrator(request, deps.options)
    const match = matchRoute(request.method, path, adminRoutes)
    if (match.outcome === 'other_method') headers = [['Allow', match.allow]]
    // RFC 9110 §15.5.5 and §15.5.6.
    if (match.outcome !== 'found')
      throw new AdminError(match.outcome === 'absent' ? 'path_not_found' : 'method_not_allowed')
    const { route, parts } = match
    scope = leastScope(route.area, route.access)
    // RFC 6750 §3.1 insufficient_scope.
    if (!admits(caller.scopes, route.area, route.access)) throw new AdminError('scope_missing')
    return rendered(
      route,
      await called(request, { route, parts, admin: administrationFor(caller, request, deps) }),
      deps.base,
    )
  } catch (thrown) {
    const error = toAdminError(thrown)
    deps.journal.record(request, refusedRequest(error, request, caller))
    return withHeaders(renderProblem(error, { scope }), headers)
  }
}

interface Found {
  readonly route: AdminRoute
  readonly parts: ReadonlyMap<string, string>
  readonly admin: Administration
}

async function called(request: ServerRequest, { route, parts, admin }: Found): Promise<AdminAnswer> {
  const query = readQuery(request, route.query ?? emptyQuery)
  const body = route.body === undefined ? undefined : readBody(request, route.body)
  const version = route.heedsVersion === true ? readVersion(request) : undefined
  return route.handle({ admin, query, body, version, part: (name) => parts.get(name) ?? '' })
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
  request: ServerRequest,
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
