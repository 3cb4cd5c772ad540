/** The third-party software that the tests of this folder run against the server, as docs/compatibility.md lists it. */
export interface TriedSoftware {
  readonly role: (typeof roles)[number]
  /** Its common name. */
  readonly name: string
  /** The package whose version the page shows; absent if our own script imitates the software. */
  readonly packageName?: string
  /** The files with its tests, without `.test.ts`. */
  readonly files: readonly string[]
  /** Required configuration and missing features, for the users of the software. */
  readonly setUp?: string
}

/** The sections of the page. */
export const roles = [
  'Clients that sign users in',
  'APIs that receive the tokens',
  'Directories that provision users',
  'Software that runs next to the server',
] as const

const [client, api, directory, operation] = roles

export const triedSoftware: readonly TriedSoftware[] = [
  {
    role: client,
    name: 'openid-client',
    packageName: 'openid-client',
    files: ['openid-client', 'openid-client-fapi', 'openid-client-decoupled', 'pushed-and-signed-requests'],
  },
  {
    role: client,
    name: 'oauth4webapi',
    packageName: 'oauth4webapi',
    files: [
      'oauth4webapi-sign-in',
      'oauth4webapi-tokens',
      'oauth4webapi-dpop',
      'oauth4webapi-par',
      'oauth4webapi-decoupled',
    ],
  },
  {
    role: client,
    name: 'AT Protocol OAuth client (Node)',
    packageName: '@atproto/oauth-client-node',
    files: ['atproto-oauth-client'],
    setUp:
      'Set the option `clientDocuments`, and use DIDs as the identifiers of users. The server reads the document of the client at the authorization endpoint, so a user must have consented once before the client can push requests. The client requires `sub` in token responses, as the AT Protocol does; the host must add it.',
  },
  {
    role: client,
    name: 'Auth.js',
    packageName: '@auth/core',
    files: ['auth-core'],
    setUp: "Use a provider of `type: 'oidc'` with `issuer` and `checks: ['pkce', 'state', 'nonce']`.",
  },
  {
    role: client,
    name: 'better-auth (generic OAuth)',
    packageName: 'better-auth',
    files: ['better-auth'],
    setUp: 'Set `discoveryUrl` and the scope `email`, because its user records need an e-mail address.',
  },
  {
    role: client,
    name: 'express-openid-connect',
    packageName: 'express-openid-connect',
    files: ['express-openid-connect', 'single-logout'],
    setUp:
      "Set `authorizationParams: { response_type: 'code' }`: by default it requests the implicit flow, which Mintmark does not offer (RFC 9700 §2.1.2). With `form_post`, its `baseURL` must be https; otherwise the browser does not send its cookie with the response.",
  },
  {
    role: client,
    name: 'passport-openidconnect',
    packageName: 'passport-openidconnect',
    files: ['passport-openidconnect'],
    setUp:
      'Register it with `client_secret_post`. It does not support PKCE, so set its `nonce`. It does not use discovery and does not verify signatures.',
  },
  {
    role: client,
    name: 'passport-oauth2',
    packageName: 'passport-oauth2',
    files: ['passport-oauth2'],
    setUp: 'Register it with `client_secret_post`, and set `pkce: true` and `state: true`.',
  },
  {
    role: client,
    name: 'oidc-client-ts (in Chromium)',
    packageName: 'oidc-client-ts',
    files: ['oidc-client-ts'],
    setUp:
      'Request `offline_access`. Renewal in a hidden frame works only for a page on https and on the same site as the server: browsers do not send the cookie in frames of other sites, and for a public client on http the server asks for consent every time (RFC 8252 §8.6). With `dpop`, do not set `loadUserInfo`, because the library calls userinfo without a proof.',
  },
  {
    role: client,
    name: 'simple-oauth2',
    packageName: 'simple-oauth2',
    files: ['simple-oauth2'],
    setUp:
      "To revoke tokens, set `http: { json: 'force' }`: otherwise it expects JSON in a response that has no body (RFC 7009 §2.2).",
  },
  {
    role: client,
    name: 'arctic',
    packageName: 'arctic',
    files: ['arctic'],
    setUp:
      'It does not encode credentials (RFC 6749 §2.3.1), so choose a `client_id` without `:`, `%` and `+`. Generated secrets never contain these characters.',
  },
  {
    role: client,
    name: 'Model Context Protocol (first TypeScript client)',
    packageName: '@modelcontextprotocol/sdk',
    files: ['model-context-protocol-sdk'],
    setUp: 'Same as for `@modelcontextprotocol/client`, below. It does not check `iss`.',
  },
  {
    role: client,
    name: 'Model Context Protocol (TypeScript client)',
    packageName: '@modelcontextprotocol/client',
    files: ['model-context-protocol-client', 'cross-app-access'],
    setUp:
      'Register it beforehand, or publish a metadata document for it (option `clientDocuments`). It can also register itself with `@mintmark/registration`: without a permission if the server has `openRegistration`, otherwise if the application adds an initial access token to its requests. The API names its authorization server with `@mintmark/resource-server`. It does not encode credentials; choose the `client_id` as for arctic.',
  },
  { role: api, name: 'jose', packageName: 'jose', files: ['jose'] },
  {
    role: api,
    name: 'express-oauth2-jwt-bearer',
    packageName: 'express-oauth2-jwt-bearer',
    files: ['express-oauth2-jwt-bearer'],
  },
  {
    role: api,
    name: 'fastify-jwt-jwks',
    packageName: 'fastify-jwt-jwks',
    files: ['fastify-jwt-jwks'],
    setUp:
      "It supports only RS256 and EdDSA, so the server needs `accessTokenAlgorithm: 'RS256'`. Set `issuer`: by default it expects the origin with a trailing slash.",
  },
  {
    role: api,
    name: 'Okta JWT verifier',
    packageName: '@okta/jwt-verifier',
    files: ['okta-jwt-verifier'],
    setUp:
      "It supports only RS256, so the server needs `accessTokenAlgorithm: 'RS256'`. Set `jwksUri` to the issuer's `/jwks`: by default it uses Okta's path. It accepts only https issuers.",
  },
  { role: directory, name: 'Microsoft Entra ID and Okta, scripted', files: ['scim-transcripts'] },
  { role: directory, name: 'scimmy (as a partner)', packageName: 'scimmy', files: ['scimmy-partner'] },
  {
    role: operation,
    name: 'OpenTelemetry',
    packageName: '@opentelemetry/sdk-metrics',
    files: ['opentelemetry'],
    setUp:
      'Spans for requests (`traceService`), counters for events (`countEvents`), durations of requests (`measureService`), and gauges for pending and dead deliveries and the age of the oldest (`observeDeliveries`).',
  },
  {
    role: operation,
    name: 'rate-limiter-flexible',
    packageName: 'rate-limiter-flexible',
    files: ['rate-limiter-flexible'],
  },
]
