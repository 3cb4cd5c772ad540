import {
  type Exchange,
  type Header,
  type HttpService,
  type Journal,
  type RequestHead,
  type Route,
  type ServerRequest,
  type ServerResponse,
  allowHeader,
  createService,
  json,
  matchPatterns,
  noStore,
  aFunction,
  aListOfStrings,
  anObjectWith,
  aNonEmptyString,
  checkOptions,
  type OptionChecks,
  required,
  withHeaders,
} from '@mintmark/internal'

import { parseServerIssuer } from '@mintmark/core/internal'
import { type Administration, administer, administrationParts, administrationOptions } from '../administration.ts'
import type { AdminDependencies } from '../audit/audit.ts'
import type { AdminOccurrence } from '../audit/admin-event.ts'
import { type AdminError, refuse, toAdminError } from '../error/refusals.ts'
import { createSetupLinks, type SetupLinks } from '../providers/directory-setup.ts'
import type { AdminAnswer, AdminRoute } from './admin-route.ts'
import { adminRoutes } from './admin-routes.ts'
import { scopesAllow, narrowestScope, mayGrant } from './admin-scopes.ts'
import type { AdminServerOptions } from './admin-server-options.ts'
import { type AdminCaller, authenticateAdministrator } from './authenticate-administrator.ts'
import { openApi } from './open-api.ts'
import { readBody, readQuery, readVersion, versionTag } from './read-request.ts'
import { emptyQuery, toWire } from './wire.ts'

/** An administration server, which an adapter serves over HTTP. */
export interface AdminServer extends HttpService {
  readonly issuer: string
  /** Whether the option `authorize` is set, without which no browser can be authenticated. */
  readonly authenticatesBrowsers: boolean
  /** For `createDirectorySetup` of the console. */
  readonly setupLinks: SetupLinks
}

/**
 * Creates a server at `{issuer}/admin/v1`. Its OpenAPI document at `/openapi.json` is public.
 * @throws TypeError if an option is invalid, or if neither `accessTokens` nor `authorize` is set.
 */
export function createAdminServer(options: AdminServerOptions): AdminServer {
  checkOptions('createAdminServer', options, serverOptions)
  const { issuer, accessTokens, authorize } = options
  parseServerIssuer(options)
  if (accessTokens === undefined && authorize === undefined)
    throw new TypeError(
      'createAdminServer requires accessTokens or authorize: without them nobody can be authenticated.',
    )
  const base = `${issuer}/admin/v1`
  const root = new URL(`${base}/`)
  // Created for its first reader: it takes longer than the rest of the server, and most servers are never asked for it.
  let document: ServerResponse | undefined
  const documentRoute: ServiceRoute = {
    methods: new Map([['GET', async () => (document ??= json(200, openApi(issuer, base, adminRoutes)))]]),
    template: `${root.pathname}openapi.json`,
    isPublic: true,
    details: undefined,
  }
  const protectedScopes = new Set(options.protectedScopes)
  const deps = { ...administrationParts(options), base, protectedScopes }

  return {
    issuer,
    authenticatesBrowsers: authorize !== undefined,
    setupLinks: createSetupLinks(deps, (actor) => ({
      ...deps,
      actor,
      record: (occurrence) => deps.journal.recordWithoutRequest(occurrence),
      mayGrant: () => false,
    })),
    ...createService<AdminCaller, RouteMatch | undefined>({
      origin: root.origin,
      bodyLimit: 131_072,
      tooLarge: (exchange) => renderRefusal(refuse('message_too_large'), exchange, deps),
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
        if (required !== undefined && !scopesAllow(caller?.scopes ?? [], required.area, required.access))
          throw refuse('scope_missing')
      },
      notFound: (exchange) => renderRefusal(refuse('path_not_found'), exchange, deps),
      methodNotAllowed: (methods, exchange) =>
        withHeaders(renderRefusal(refuse('method_not_allowed'), exchange, deps), [allowHeader(methods)]),
      renderError: (error, exchange) => renderRefusal(toAdminError(error), exchange, deps),
    }),
  }
}

const serverOptions: OptionChecks<AdminServerOptions> = {
  ...administrationOptions,
  issuer: required(aNonEmptyString),
  accessTokens: anObjectWith('accessToken'),
  administrators: aFunction,
  authorize: aFunction,
  protectedScopes: aListOfStrings,
}

interface ServerDependencies extends AdminDependencies {
  readonly journal: Journal<AdminOccurrence>
  /** The URL of the API, without a trailing slash. */
  readonly base: string
  /** Scope values of the host that only `admin:write` may give to clients. */
  readonly protectedScopes: ReadonlySet<string>
}

/** The route for a method and path, with the parts of the path. */
interface RouteMatch {
  readonly route: AdminRoute
  readonly parts: ReadonlyMap<string, string>
}

type ServiceRoute = Route<AdminCaller, RouteMatch | undefined>

function findRoute(method: string, path: string, deps: ServerDependencies): ServiceRoute | undefined {
  const matches = matchPatterns(path, adminRoutes)
  const [first] = matches
  if (first === undefined) return undefined
  const match = matches.find(({ pattern }) => pattern.method === (method === 'HEAD' ? 'GET' : method))
  return {
    methods: new Map(
      matches.map(({ pattern: route, parts }) => [
        route.method,
        (request, caller) =>
          answer(request, { route, parts, caller, admin: administrationFor(caller, request, deps) }, deps),
      ]),
    ),
    template: new URL(deps.base).pathname + first.pattern.path,
    details: match && { route: match.pattern, parts: match.parts },
  }
}

/** Records a refusal, and renders it (RFC 9457). */
function renderRefusal(
  error: AdminError,
  { request, caller, route }: Exchange<AdminCaller, RouteMatch | undefined>,
  { journal }: ServerDependencies,
): ServerResponse {
  journal.record(request, toRefusedRequest(error, request, caller))
  const required = route?.details?.route
  const problem = renderProblem(error, { scope: required && requiredScope(required) })
  return withHeaders(problem, [journal.correlationHeader(request)])
}

/** Every administrator has access to the area `any`, so it requires no scope value. */
const requiredScope = ({ area, access }: AdminRoute): string | undefined =>
  area === 'any' ? undefined : narrowestScope(area, access)

interface AuthorizedCall extends RouteMatch {
  readonly admin: Administration
  readonly caller: AdminCaller
}

async function answer(
  request: ServerRequest,
  { route, parts, admin, caller }: AuthorizedCall,
  { base }: ServerDependencies,
): Promise<ServerResponse> {
  const query = readQuery(request, route.query ?? emptyQuery)
  const body = route.body === undefined ? undefined : readBody(request, route.body)
  const version = route.checksIfMatch === true ? readVersion(request) : undefined
  const part = (name: string): string => parts.get(name) ?? ''
  return renderAnswer(route, await route.handle({ admin, caller, query, body, version, part }), base)
}

/** Returns the administration for the caller. Its events have the correlation identifier of the request. */
function administrationFor(
  { actor, scopes }: AdminCaller,
  request: ServerRequest,
  { journal, protectedScopes, ...deps }: ServerDependencies,
): Administration {
  return administer({
    ...deps,
    actor,
    record: (occurrence) => journal.record(request, occurrence),
    mayGrant: (scope) => mayGrant(scopes, scope, protectedScopes),
  })
}

function renderAnswer({ status }: AdminRoute, { body, version, location }: AdminAnswer, base: string): ServerResponse {
  const headers = [
    ...(version === undefined ? [] : [['ETag', versionTag(version)] as const]),
    ...(location === undefined ? [] : [['Location', base + location] as const]),
  ]
  if (body === undefined) return { status, headers: [...noStore, ...headers], body: undefined }
  return json(status, toWire(body), [...noStore, ...headers])
}

const toRefusedRequest = (
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

/**
 * Renders a refusal as problem details (RFC 9457 §3). `code` is stable; `detail` is a fixed sentence for humans;
 * `pointer` is the JSON Pointer of the invalid member of the request (RFC 6901).
 * @param scope the scope value that was missing.
 */
function renderProblem(
  { status, reason, detail, pointer }: AdminError,
  { scope }: { readonly scope?: string | undefined } = {},
): ServerResponse {
  return {
    status,
    headers: [
      ['Content-Type', 'application/problem+json'],
      ['X-Content-Type-Options', 'nosniff'],
      ...noStore,
      ...challenge(status, reason, scope),
    ],
    // RFC 9457 §4.2.1: with about:blank the title is the phrase of the HTTP status.
    body: JSON.stringify({
      type: 'about:blank',
      title: titles[status],
      status,
      code: reason,
      detail,
      ...(pointer !== undefined && { pointer }),
    }),
  }
}

function challenge(status: number, reason: AdminError['reason'], scope: string | undefined): readonly Header[] {
  // RFC 6750 §3.1: the challenge has an error code only if a token was presented.
  if (reason === 'credentials_missing') return [['WWW-Authenticate', 'Bearer realm="admin"']]
  if (status === 401) return [['WWW-Authenticate', 'Bearer realm="admin", error="invalid_token"']]
  if (reason === 'scope_missing')
    return [['WWW-Authenticate', `Bearer realm="admin", error="insufficient_scope", scope="${scope}"`]]
  return status === 503 ? [['Retry-After', '5']] : []
}

const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
}
