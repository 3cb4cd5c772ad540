import type { AllowsOrigin, Clock, CrossOrigin, PathRoute, RenderError, ServerRequest } from '@mintmark/internal'
import { clientId, type ClientRecord, type OAuthStorage } from '@mintmark/storage-interface'
import { authorizationEndpoint } from './authorize/endpoint.ts'
import { pushEndpoint } from './authorize/pushed-request.ts'
import { cancelEndpoint, cancelPath, interactionPage } from './authorize/pending-interaction.ts'
import {
  type EndpointName,
  metadataEndpoint,
  type MetadataSources,
  serverMetadata,
  wellKnownPaths,
} from './discovery/metadata.ts'
import { cibaEndpoint, cibaPath } from './decoupled/ciba-endpoint.ts'
import { deviceAuthorizationPath, deviceEndpoint, devicePath } from './decoupled/device-endpoint.ts'
import { deviceConfirmPath, devicePages } from './decoupled/device-pages.ts'
import { jwksEndpoint } from './keys/jwks-endpoint.ts'
import { isOriginOf } from './clients/proven-redirect.ts'
import type { Journal } from './events.ts'
import { clientLogoEndpoint, logoPath } from './clients/logo.ts'
import type { VerifyOwnJwtDependencies } from './keys/verify-jwt.ts'
import { confirmedLogoutEndpoint, confirmPath, logoutEndpoint, logoutPath } from './logout/endpoint.ts'
import { readForm } from './parameters.ts'
import type { ServerDependencies } from './dependencies.ts'
import { tokenEndpoint } from './token/endpoint.ts'
import { findClientOfToken } from './tokens/access-token.ts'
import { introspectionEndpoint } from './tokens/introspection.ts'
import { revocationFeedEndpoint } from './tokens/revocation-feed.ts'
import { revocationEndpoint } from './tokens/revocation.ts'
import { grantsEndpoint } from './tokens/grant-management.ts'
import { readAccessToken } from './tokens/presented-token.ts'
import { userinfoEndpoint } from './tokens/userinfo.ts'

/** How errors are rendered: for programs, for browsers, and for senders of access tokens. */
export interface ErrorRenderers {
  readonly api: RenderError
  readonly browser: RenderError
  /** At userinfo. */
  readonly bearer: RenderError
  /** At grant management. */
  readonly grants: RenderError
}

/** Returns every path of the server, with its endpoints. */
export function serverRoutes(deps: ServerDependencies, render: ErrorRenderers): readonly PathRoute[] {
  const { pathname } = new URL(deps.issuer)
  const base = pathname === '/' ? '' : pathname
  const authorize = authorizationEndpoint(deps)
  const userinfo = userinfoEndpoint(deps)
  const metadata = metadataEndpoint(
    serverMetadata({
      ...deps,
      endpoints: endpointUrls(deps),
      requirePushedRequests: deps.rules.requirePushedRequests,
    }),
  )
  const route = (name: EndpointName, methods: PathRoute['methods'], renderError: RenderError): PathRoute => ({
    path: base + paths[name],
    methods,
    renderError,
  })
  const ofClient = allowsNamedClient(deps)

  return [
    // RFC 9700 §2.6: browsers navigate to these, scripts do not call them. The authorization endpoint, the pages and
    // introspection are not shared with other origins.
    route('authorization_endpoint', { GET: authorize, POST: authorize }, render.browser),
    withCrossOrigin(route('pushed_authorization_request_endpoint', { POST: pushEndpoint(deps) }, render.api), ofClient),
    withCrossOrigin(route('token_endpoint', { POST: tokenEndpoint(deps) }, render.api), ofClient),
    withCrossOrigin(route('userinfo_endpoint', { GET: userinfo, POST: userinfo }, render.bearer), allowsBearer(deps)),
    route('introspection_endpoint', { POST: introspectionEndpoint(deps) }, render.api),
    withCrossOrigin(route('revocation_endpoint', { POST: revocationEndpoint(deps) }, render.api), ofClient),
    uncounted(withCrossOrigin(route('jwks_uri', { GET: jwksEndpoint(deps.keys) }, render.api), 'any_origin')),
    ...feedRoutes(base, deps, render.api),
    ...grantRoutes(base, deps, render.grants),
    { path: base + logoPath, methods: { GET: clientLogoEndpoint(deps) }, renderError: render.api },
    ...logoutRoutes(base, deps, render.browser),
    { path: base + cancelPath, methods: { POST: cancelEndpoint(deps) }, renderError: render.browser },
    ...deviceRoutes(base, deps, render),
    ...cibaRoutes(base, deps, render.api),
    ...pageRoutes(deps, render.browser),
    ...wellKnownPaths(base).map((path) =>
      uncounted(withCrossOrigin({ path, methods: { GET: metadata }, renderError: render.api }, 'any_origin')),
    ),
  ]
}

/** Answers come from memory, or, in the feed, when something is revoked: APIs need both most when the server is busy. */
const uncounted = (route: PathRoute): PathRoute => ({ ...route, isUncounted: true })

const withCrossOrigin = (route: PathRoute, crossOrigin: CrossOrigin): PathRoute => ({ ...route, crossOrigin })

/** Returns the route of the revocation feed, if the host has enabled it. */
function feedRoutes(base: string, deps: ServerDependencies, renderError: RenderError): readonly PathRoute[] {
  const { revocationFeed } = deps
  return revocationFeed === undefined
    ? []
    : [
        uncounted({
          path: base + feedPath,
          methods: { POST: revocationFeedEndpoint(revocationFeed, deps) },
          renderError,
        }),
      ]
}

/** Returns the routes of grant management, if the host has enabled it. Scripts of other origins may not call them. */
function grantRoutes(base: string, deps: ServerDependencies, renderError: RenderError): readonly PathRoute[] {
  if (!deps.managesGrants) return []
  const { query, revoke } = grantsEndpoint(`${deps.issuer}${grantsPath}`, deps)
  return [{ path: `${base}${grantsPath}/{grant_id}`, methods: { GET: query, DELETE: revoke }, renderError }]
}

/** Returns the routes of RP-Initiated Logout, if the host lets clients sign users out. */
function logoutRoutes(base: string, deps: ServerDependencies, renderError: RenderError): readonly PathRoute[] {
  const { logout } = deps
  if (logout === undefined) return []
  const end = logoutEndpoint(logout, deps)
  return [
    { path: base + logoutPath, methods: { GET: end, POST: end }, renderError },
    { path: base + confirmPath, methods: { POST: confirmedLogoutEndpoint(logout, deps) }, renderError },
  ]
}

/** Returns the routes of the device authorization grant, if the host has enabled it. */
function deviceRoutes(base: string, deps: ServerDependencies, render: ErrorRenderers): readonly PathRoute[] {
  const { device } = deps
  if (device === undefined) return []
  const { enter, confirm } = devicePages(device, deps)
  const ask = { path: base + deviceAuthorizationPath, methods: { POST: deviceEndpoint(device, deps) } }
  return [
    withCrossOrigin({ ...ask, renderError: render.api }, allowsNamedClient(deps)),
    { path: base + devicePath, methods: { GET: enter }, renderError: render.browser },
    { path: base + deviceConfirmPath, methods: { POST: confirm }, renderError: render.browser },
  ]
}

/** Returns the route for clients that name a user, if the host has enabled it. It is for servers, and not for browsers. */
function cibaRoutes(base: string, deps: ServerDependencies, renderError: RenderError): readonly PathRoute[] {
  const { ciba } = deps
  return ciba === undefined ? [] : [{ path: base + cibaPath, methods: { POST: cibaEndpoint(ciba, deps) }, renderError }]
}

/** Returns the routes of the host's pages, if it provides them. */
function pageRoutes(deps: ServerDependencies, renderError: RenderError): readonly PathRoute[] {
  const { pages } = deps
  if (pages === undefined) return []
  const pagesByKind = { login: pages.login, consent: pages.consent, select_account: pages.selectAccount }
  return (['login', 'consent', 'select_account'] as const).flatMap((kind) => {
    const { [kind]: page } = pagesByKind
    const { [kind]: url } = deps.interactionUrls
    if (page === undefined || url === undefined) return []
    const endpoint = interactionPage(kind, page, deps)
    return [{ path: new URL(url).pathname, methods: { GET: endpoint, POST: endpoint }, renderError }]
  })
}

const endpointUrls = ({
  issuer,
  revocationFeed,
  logout,
  device,
  ciba,
  managesGrants,
}: ServerDependencies): MetadataSources['endpoints'] => ({
  authorization_endpoint: issuer + paths.authorization_endpoint,
  pushed_authorization_request_endpoint: issuer + paths.pushed_authorization_request_endpoint,
  token_endpoint: issuer + paths.token_endpoint,
  userinfo_endpoint: issuer + paths.userinfo_endpoint,
  introspection_endpoint: issuer + paths.introspection_endpoint,
  revocation_endpoint: issuer + paths.revocation_endpoint,
  jwks_uri: issuer + paths.jwks_uri,
  ...(logout !== undefined && { end_session_endpoint: issuer + logoutPath }),
  ...(device !== undefined && { device_authorization_endpoint: issuer + deviceAuthorizationPath }),
  ...(ciba !== undefined && { backchannel_authentication_endpoint: issuer + cibaPath }),
  ...(revocationFeed !== undefined && { revocation_feed_endpoint: issuer + feedPath }),
  ...(managesGrants && { grant_management_endpoint: issuer + grantsPath }),
})

const paths: Readonly<Record<EndpointName, string>> = {
  authorization_endpoint: '/auth',
  pushed_authorization_request_endpoint: '/auth/push',
  token_endpoint: '/token',
  userinfo_endpoint: '/userinfo',
  introspection_endpoint: '/token/introspection',
  revocation_endpoint: '/token/revocation',
  jwks_uri: '/jwks',
}

const feedPath = '/token/revocation-feed'
const grantsPath = '/grants'

/**
 * Whether the client that the form names may run at the origin. The form does not prove that this client sent it, and it
 * need not: anyone who sends the form without a browser can read the response anyway.
 */
const allowsNamedClient =
  (deps: OriginDependencies): AllowsOrigin =>
  async (origin, request) => {
    const client = await findClient(readForm(request).get('client_id'), deps.storage)
    // RFC 6749 §2.1: a page cannot keep a secret from its user, so a client with a secret does not run in a page.
    if (client?.tokenEndpointAuthMethod.startsWith('client_secret') !== false) return false
    return allowsOrigin({ origin, request, client }, deps)
  }

/**
 * Whether the client that the token was issued to may run at the origin, even if the token has expired: the page may read
 * the error.
 */
const allowsBearer =
  (deps: VerifyOwnJwtDependencies & OriginDependencies & { readonly clock: Clock }): AllowsOrigin =>
  async (origin, request) => {
    const token = readAccessToken(request)?.accessToken
    const owner = token === undefined ? undefined : await findClientOfToken(token, deps.clock(), deps)
    const client = await findClient(owner, deps.storage)
    return client !== undefined && allowsOrigin({ origin, request, client }, deps)
  }

interface OriginDependencies {
  readonly storage: OAuthStorage
  readonly journal: Journal
}

/** Compares the origin with the client's redirect URIs, and reports one that is none of theirs. */
function allowsOrigin(
  {
    origin,
    request,
    client,
  }: { readonly origin: string; readonly request: ServerRequest; readonly client: ClientRecord },
  { journal }: OriginDependencies,
): boolean {
  if (isOriginOf(origin, client)) return true
  // The endpoint may have answered with tokens, which the page cannot read.
  journal.record(request, { type: 'origin.refused', clientId: client.clientId, origin: origin.slice(0, 200) })
  return false
}

/** Finds the client with this `client_id`, unless it is disabled. */
async function findClient(named: string | undefined, storage: OAuthStorage): Promise<ClientRecord | undefined> {
  const client = named === undefined ? undefined : await storage.clients.find(clientId(named))
  return client?.disabledAt === undefined ? client : undefined
}
