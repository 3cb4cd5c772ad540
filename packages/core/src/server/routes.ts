import { authorizationEndpoint } from '../authorization/authorization-endpoint.ts'
import { serverMetadata, type EndpointName } from '../discovery/metadata.ts'
import { metadataEndpoint } from '../discovery/metadata-endpoint.ts'
import { wellKnownPaths } from '../discovery/well-known-paths.ts'
import type { Route } from '../http/index.ts'
import { jwksEndpoint } from '../key/jwks-endpoint.ts'
import { tokenEndpoint } from '../token/token-endpoint.ts'
import type { ServerDependencies } from './dependencies.ts'

type RenderError = Route['renderError']

/** Every path of the server, with what answers there. */
export function serverRoutes(
  deps: ServerDependencies,
  render: { readonly api: RenderError; readonly browser: RenderError },
): readonly Route[] {
  const issuerUrl = new URL(deps.issuer)
  const base = issuerUrl.pathname === '/' ? '' : issuerUrl.pathname
  const authorize = authorizationEndpoint(deps)
  const metadata = metadataEndpoint(
    serverMetadata({ ...deps, endpoints: endpointUrls(deps.issuer), responseModes: deps.rules.responseModes }),
  )

  return [
    { path: `${base}${paths.authorization_endpoint}`, methods: { GET: authorize, POST: authorize }, renderError: render.browser },
    { path: `${base}${paths.token_endpoint}`, methods: { POST: tokenEndpoint(deps) }, renderError: render.api },
    { path: `${base}${paths.jwks_uri}`, methods: { GET: jwksEndpoint(deps.keys) }, renderError: render.api },
    ...wellKnownPaths(base).map((path) => ({ path, methods: { GET: metadata }, renderError: render.api })),
  ]
}

function endpointUrls(issuer: string): Readonly<Record<EndpointName, string>> {
  return {
    authorization_endpoint: issuer + paths.authorization_endpoint,
    token_endpoint: issuer + paths.token_endpoint,
    jwks_uri: issuer + paths.jwks_uri,
  }
}

const paths: Readonly<Record<EndpointName, string>> = {
  authorization_endpoint: '/auth',
  token_endpoint: '/token',
  jwks_uri: '/jwks',
}
