// oidc-provider with its default endpoints and an adapter with Maps: its own development adapter holds only 1,000
// entries.
import { exportJWK, generateKeyPair } from 'jose'
import { Provider } from 'oidc-provider'

import { issuer, fixtureUser, redirectUri } from '../fixture.ts'
import { serveTarget, targetSettings, type Target } from '../serve-target.ts'
import { mapAdapter } from './map-adapter.ts'

const { algorithm, accessTokens } = targetSettings()
const clientSecret = 'f7x0dVwTqv6yEu2cB9jP4mN1kL8sA3hRgZoWiXtYeUc'
const resource = 'https://api.test'
const day = 86_400

const oidcProvider = async (): Promise<Target> => {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true })
  const provider = new Provider(issuer, {
    adapter: mapAdapter(),
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'k', use: 'sig', alg: algorithm }] },
    clients: [
      {
        client_id: 'client',
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
        token_endpoint_auth_method: 'client_secret_basic',
        id_token_signed_response_alg: algorithm,
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    scopes: ['openid', 'email', 'offline_access', 'api.read'],
    conformIdTokenClaims: false,
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, email: fixtureUser.email, email_verified: true }),
    }),
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    ttl: { AccessToken: 3600, ClientCredentials: 3600, Grant: day, IdToken: 3600, RefreshToken: day, Session: day },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      dPoP: { enabled: true },
      pushedAuthorizationRequests: { enabled: true },
      introspection: { enabled: true, allowedPolicy: () => true },
      resourceIndicators: { enabled: accessTokens === 'jwt', ...resourceIndicators },
    },
  })

  // The URL of a DPoP proof is compared with that of the request, whose scheme is in the proxy's header.
  provider.proxy = true
  return {
    listener: provider.callback(),
    site: {
      oauth: {
        paths: {
          token: '/token',
          authorize: '/auth',
          push: '/request',
          introspection: '/token/introspection',
          userinfo: '/me',
          metadata: '/.well-known/openid-configuration',
          jwks: '/jwks',
        },
        clientId: 'client',
        clientSecret,
        redirectUri,
        scope: 'openid email',
        cookies: [`_session=${await signIn(provider)}`],
        serviceParameters: accessTokens === 'jwt' ? { scope: 'api.read', resource } : { scope: 'api.read' },
      },
    },
  }
}

const resourceIndicators = {
  defaultResource: () => undefined,
  getResourceServerInfo: () => ({
    scope: 'api.read',
    audience: resource,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: algorithm } },
  }),
}

/** Creates a session of the user, who has consented. Returns the session's cookie. */
async function signIn(provider: Provider): Promise<string> {
  const grant = new provider.Grant({ accountId: fixtureUser.userId, clientId: 'client' })
  grant.addOIDCScope('openid email')
  const session = new provider.Session()
  session.loginAccount({ accountId: fixtureUser.userId })
  session.ensureClientContainer('client')
  session.grantIdFor('client', await grant.save())
  return session.save(day)
}

await serveTarget(await oidcProvider())
