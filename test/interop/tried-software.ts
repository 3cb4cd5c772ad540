/** The third-party software that the tests of this folder run against the server, as docs/compatibility.md lists it. */
export interface TriedSoftware {
  readonly role: (typeof roles)[number]
  /** Its common name. */
  readonly name: string
  /** The package whose version is shown; absent where a script of ours plays the software. */
  readonly packageName?: string
  /** Its tests, without `.test.ts`. */
  readonly files: readonly string[]
  /** Required configuration or missing features, in words for its users. */
  readonly setUp?: string
}

/** The sections of the page. */
export const roles = [
  'Clients that sign users in',
  'APIs that receive the tokens',
  'Directories that provision accounts',
  'What runs beside the server',
] as const

const [client, api, directory, operation] = roles

export const triedSoftware: readonly TriedSoftware[] = [
  {
    role: client,
    name: 'openid-client',
    packageName: 'openid-client',
    files: ['openid-client', 'openid-client-fapi', 'pushed-and-signed-requests'],
  },
  {
    role: client,
    name: 'oauth4webapi',
    packageName: 'oauth4webapi',
    files: ['oauth4webapi-sign-in', 'oauth4webapi-tokens', 'oauth4webapi-dpop'],
  },
  {
    role: client,
    name: 'AT Protocol, OAuth client for Node',
    packageName: '@atproto/oauth-client-node',
    files: ['atproto-oauth-client'],
    setUp:
      'The option `clientDocuments`, and users whose identifier is a DID. Its document is read at the authorization endpoint, so a user must have consented once before it can push. It demands `sub` in token responses, which the host adds, as the AT Protocol asks.',
  },
  {
    role: client,
    name: 'Auth.js',
    packageName: '@auth/core',
    files: ['auth-core'],
    setUp: "A provider of `type: 'oidc'` with `issuer`, and `checks: ['pkce', 'state', 'nonce']`.",
  },
  {
    role: client,
    name: 'better-auth, generic OAuth',
    packageName: 'better-auth',
    files: ['better-auth'],
    setUp: 'Give it `discoveryUrl` and the scope `email`: its accounts have an e-mail address.',
  },
  {
    role: client,
    name: 'express-openid-connect',
    packageName: 'express-openid-connect',
    files: ['express-openid-connect', 'single-logout'],
    setUp:
      "`authorizationParams: { response_type: 'code' }`: by itself it asks for the implicit flow, which is not offered here (RFC 9700 §2.1.2). With `form_post` its `baseURL` must be https, or its cookie does not come back.",
  },
  {
    role: client,
    name: 'passport-openidconnect',
    packageName: 'passport-openidconnect',
    files: ['passport-openidconnect'],
    setUp:
      'Register it with `client_secret_post`. It has no PKCE, so set its `nonce`. It reads no discovery and does not verify signatures.',
  },
  {
    role: client,
    name: 'passport-oauth2',
    packageName: 'passport-oauth2',
    files: ['passport-oauth2'],
    setUp: 'Register it with `client_secret_post`; `pkce: true` and `state: true`.',
  },
  {
    role: client,
    name: 'oidc-client-ts, in Chromium',
    packageName: 'oidc-client-ts',
    files: ['oidc-client-ts'],
    setUp:
      'Ask for `offline_access`. Renewal in a hidden frame needs a page on https of the same site as the server: browsers keep the cookie from others, and a public client on http is asked about each time (RFC 8252 §8.6). With `dpop`, leave out `loadUserInfo`: it calls userinfo without a proof.',
  },
  {
    role: client,
    name: 'simple-oauth2',
    packageName: 'simple-oauth2',
    files: ['simple-oauth2'],
    setUp: "To revoke, `http: { json: 'force' }`: it demands JSON of an answer that has no body (RFC 7009 §2.2).",
  },
  {
    role: client,
    name: 'arctic',
    packageName: 'arctic',
    files: ['arctic'],
    setUp:
      'It leaves out the encoding of credentials (RFC 6749 §2.3.1): choose no `client_id` with `:`, `%` or `+`. Secrets never have them.',
  },
  {
    role: client,
    name: 'Model Context Protocol, first TypeScript client',
    packageName: '@modelcontextprotocol/sdk',
    files: ['model-context-protocol-sdk'],
    setUp: 'As the second generation, below. It does not look at `iss`.',
  },
  {
    role: client,
    name: 'Model Context Protocol, TypeScript client',
    packageName: '@modelcontextprotocol/client',
    files: ['model-context-protocol-client'],
    setUp:
      'Register it beforehand; there is no dynamic registration. The API publishes where its server is with `@mintmark/resource-server`. Credentials are not encoded, as with arctic.',
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
      "It reads RS256 and EdDSA: the server needs `accessTokenAlgorithm: 'RS256'`. Give it `issuer`: by itself it expects the origin with a slash.",
  },
  {
    role: api,
    name: 'Okta JWT verifier',
    packageName: '@okta/jwt-verifier',
    files: ['okta-jwt-verifier'],
    setUp:
      "It reads RS256 alone: the server needs `accessTokenAlgorithm: 'RS256'`. Give it `jwksUri`, the issuer's `/jwks`: by itself it looks at Okta's path. It takes https issuers only.",
  },
  { role: directory, name: 'Microsoft Entra ID and Okta, scripted', files: ['scim-transcripts'] },
  {
    role: operation,
    name: 'OpenTelemetry',
    packageName: '@opentelemetry/sdk-metrics',
    files: ['opentelemetry'],
    setUp:
      'Spans for requests (`traceService`), counters for events (`countEvents`), and gauges for pending and dead deliveries and the age of the oldest (`observeDeliveries`).',
  },
  {
    role: operation,
    name: 'rate-limiter-flexible',
    packageName: 'rate-limiter-flexible',
    files: ['rate-limiter-flexible'],
  },
]
