// better-auth with its OAuth provider and an SQLite file, set up as its documentation shows, without a consent page for
// the client.
import { DatabaseSync } from 'node:sqlite'

import { oauthProvider } from '@better-auth/oauth-provider'
import { betterAuth, type BetterAuthPlugin } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { toNodeHandler } from 'better-auth/node'
import { jwt } from 'better-auth/plugins'

import { issuer, fixtureUser, redirectUri } from '../fixture.ts'
import { serveTarget, targetSettings } from '../serve-target.ts'

const { algorithm, accessTokens, sqlitePath = ':memory:' } = targetSettings()
const resource = 'https://api.test'
const scopes = ['openid', 'email', 'offline_access', 'api.read']

const database = new DatabaseSync(sqlitePath)
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')

const options = {
  baseURL: issuer,
  basePath: '/api/auth',
  secret: Buffer.alloc(32, 'q1w2e3r4t5y6').toString('base64url'),
  database,
  emailAndPassword: { enabled: true },
  telemetry: { enabled: false },
  rateLimit: { enabled: false },
  logger: { disabled: true },
  disabledPaths: ['/token'],
  plugins: [
    jwt({ jwks: { keyPairConfig: { alg: algorithm } } }),
    // The types of better-auth's own plugin do not compile with exactOptionalPropertyTypes.
    oauthProvider({
      loginPage: '/login',
      consentPage: '/consent',
      scopes,
      resources: [resource],
      enforcePerClientResources: false,
      clientPrivileges: () => true,
      silenceWarnings: { oauthAuthServerConfig: true, openidConfig: true },
    }) as unknown as BetterAuthPlugin,
  ],
}
const auth = betterAuth(options)
await (await getMigrations(options)).runMigrations()

const signedUp = await auth.api.signUpEmail({
  body: { email: fixtureUser.email, password: 'correct horse battery', name: 'Ann' },
  asResponse: true,
})
const cookie = signedUp.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
const { adminCreateOAuthClient } = auth.api as unknown as {
  readonly adminCreateOAuthClient: (
    call: object,
  ) => Promise<{ readonly client_id: string; readonly client_secret: string }>
}
const client = await adminCreateOAuthClient({
  headers: new Headers({ cookie }),
  body: {
    client_name: 'Client',
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: 'client_secret_basic',
    grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
    scope: scopes.join(' '),
    client_credentials_scopes: ['api.read'],
    skip_consent: true,
  },
})

const handle = toNodeHandler(auth)

await serveTarget({
  listener: (request, response) => void handle(request, response),
  site: {
    oauth: {
      paths: {
        token: '/api/auth/oauth2/token',
        authorize: '/api/auth/oauth2/authorize',
        introspection: '/api/auth/oauth2/introspect',
        userinfo: '/api/auth/oauth2/userinfo',
        metadata: '/api/auth/.well-known/openid-configuration',
        jwks: '/api/auth/jwks',
      },
      clientId: client.client_id,
      clientSecret: client.client_secret,
      redirectUri,
      scope: 'openid email offline_access',
      cookies: [cookie],
      serviceParameters: { scope: 'api.read', ...(accessTokens === 'jwt' && { resource }) },
    },
  },
})
