import { authorizationEndpoint } from '../authorize/endpoint.ts'
import { originsOfBearer, originsOfNamedClient } from '../cross-origin/registered-origins.ts'
import { serverMetadata, type EndpointName, type MetadataSources } from '../discovery/metadata.ts'
import { metadataEndpoint } from '../discovery/metadata-endpoint.ts'
import { wellKnownPaths } from '../discovery/well-known-paths.ts'
import type { CrossOrigin, PathRoute, RenderError } from '@mintmark/internal'
import { interactionPage } from '../authorize/pending-interaction.ts'
import { introspectionEndpoint } from '../tokens/introspection.ts'
import { jwksEndpoint } from '../keys/jwks-endpoint.ts'
import { revocationFeedEndpoint } from '../tokens/revocation-feed.ts'
import { revocationEndpoint } from '../tokens/revocation.ts'
import { tokenEndpoint } from '../token/endpoint.ts'
import { userinfoEndpoint } from '../tokens/userinfo.ts'
import type { ServerDependencies } from './dependencies.ts'

/** How errors are rendered: to programs, to browsers, and to holders of bearer tokens. */
export interface ErrorRenderers {
  readonly api: RenderError
  readonly browser: RenderError
  readonly bearer: RenderError
}

/** Every path of the server, with what answers there. */
export function serverRoutes(deps: ServerDependencies, render: ErrorRenderers): readonly PathRoute[] {
  const { pathname } = new URL(deps.issuer)
  const base = pathname === '/' ? '' : pathname
  const authorize = authorizationEndpoint(deps)
  const userinfo = userinfoEndpoint(deps)
  const metadata = metadataEndpoint(
    serverMetadata({ ...deps, endpoints: endpointUrls(deps), responseModes: deps.rules.responseModes }),
  )
  const route = (name: EndpointName, methods: PathRoute['methods'], renderError: RenderError): PathRoute => ({
    path: base + paths[name],
    methods,
    renderError,
  })
  const ofNamedClient = originsOfNamedClient(deps)

  return [
    // RFC 9700 §2.6: browsers go there, scripts do not. It, the pages and introspection are shared with no other origin.
    route('authorization_endpoint', { GET: authorize, POST: authorize }, render.browser),
    shared(route('token_endpoint', { POST: tokenEndpoint(deps) }, render.api), ofNamedClient),
    shared(route('userinfo_endpoint', { GET: userinfo, POST: userinfo }, render.bearer), originsOfBearer(deps)),
    route('introspection_endpoint', { POST: introspectionEndpoint(deps) }, render.api),
    shared(route('revocation_endpoint', { POST: revocationEndpoint(deps) }, render.api), ofNamedClient),
    shared(route('jwks_uri', { GET: jwksEndpoint(deps.keys) }, render.api), 'any_origin'),
    ...feedRoutes(base, deps, render.api),
    ...pageRoutes(deps, render.browser),
    ...wellKnownPaths(base).map((path) =>
      shared({ path, methods: { GET: metadata }, renderError: render.api }, 'any_origin'),
    ),
  ]
}

const shared = (route: PathRoute, crossOrigin: CrossOrigin): PathRoute => ({ ...route, crossOrigin })

/** The revocation feed, when the host has one. */
function feedRoutes(base: string, deps: ServerDependencies, renderError: RenderError): readonly PathRoute[] {
  const { revocationFeed } = deps
  return revocationFeed === undefined
    ? []
    : [{ path: base + feedPath, methods: { POST: revocationFeedEndpoint(revocationFeed, deps) }, renderError }]
}

/** The host's login and consent pages, when it gave them. */
function pageRoutes(deps: ServerDependencies, renderError: RenderError): readonly PathRoute[] {
  const { pages } = deps
  if (pages === undefined) return []
  return (['login', 'consent'] as const).map((kind) => {
    const page = interactionPage(kind, pages[kind], deps)
    return { path: new URL(deps.interactionUrls[kind]).pathname, methods: { GET: page, POST: page }, renderError }
  })
}

const endpointUrls = ({ issuer, revocationFeed }: ServerDependencies): MetadataSources['endpoints'] => ({
  authorization_endpoint: issuer + paths.authorization_endpoint,
  token_endpoint: issuer + paths.token_endpoint,
  userinfo_endpoint: issuer + paths.userinfo_endpoint,
  introspection_endpoint: issuer + paths.introspection_endpoint,
  revocation_endpoint: issuer + paths.revocation_endpoint,
  jwks_uri: issuer + paths.jwks_uri,
  ...(revocationFeed !== undefined && { revocation_feed_endpoint: issuer + feedPath }),
})

const paths: Readonly<Record<EndpointName, string>> = {
  authorization_endpoint: '/auth',
  token_endpoint: '/token',
  userinfo_endpoint: '/userinfo',
  introspection_endpoint: '/token/introspection',
  revocation_endpoint: '/token/revocation',
  jwks_uri: '/jwks',
}

const feedPath = '/token/revocation-feed'
