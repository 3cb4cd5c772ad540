// @jmondi/oauth2-server on Express, with Maps as repositories. jose signs the access tokens, because the library's
// default is HS256. Codes and refresh tokens are opaque; by default the library signs them.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

import {
  AuthorizationServer,
  DateInterval,
  type JwtInterface,
  type OAuthAuthCode,
  type OAuthClient,
  type OAuthToken,
} from '@jmondi/oauth2-server'
import { handleExpressResponse, requestFromExpress } from '@jmondi/oauth2-server/express'
import express from 'express'
import { decodeJwt, generateKeyPair, jwtVerify, SignJWT, type JWTPayload } from 'jose'

import { issuer, fixtureUser, redirectUri } from '../fixture.ts'
import { serveTarget, targetSettings } from '../serve-target.ts'

const { algorithm } = targetSettings()
const clientSecret = 'f7x0dVwTqv6yEu2cB9jP4mN1kL8sA3hRgZoWiXtYeUc'
const sessionSecret = 'q1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6j7k8l9z0x1c'
const { privateKey, publicKey } = await generateKeyPair(algorithm)

const digest = (text: string): string => hash('sha256', text, 'base64url')
const random = (): string => randomBytes(32).toString('base64url')

const client: OAuthClient = {
  id: 'client',
  name: 'Client',
  secret: digest(clientSecret),
  redirectUris: [redirectUri],
  allowedGrants: ['authorization_code', 'refresh_token', 'client_credentials'],
  scopes: ['openid', 'email', 'api.read'].map((name) => ({ name })),
}
const user = { id: fixtureUser.userId }
const sessions = new Map([[digest(sessionSecret), user]])
const codes = new Map<string, OAuthAuthCode>()
const revokedCodes = new Set<string>()
const byAccess = new Map<string, OAuthToken>()
const byRefresh = new Map<string, OAuthToken>()

const jwt: JwtInterface = {
  sign: async (payload) =>
    new SignJWT({ ...(payload as JWTPayload) })
      .setProtectedHeader({ alg: algorithm, typ: 'at+jwt', kid: 'k' })
      .sign(privateKey),
  verify: async (token) => (await jwtVerify(token, publicKey)).payload,
  decode: (token) => decodeJwt(token),
}

const requireFound = <Value>(value: Value | undefined): Value => {
  if (value === undefined) throw new Error('The record does not exist.')
  return value
}

const clients = {
  getByIdentifier: async () => client,
  isClientValid: async (_grant: unknown, own: OAuthClient, secret?: string) =>
    secret !== undefined && timingSafeEqual(Buffer.from(digest(secret)), Buffer.from(own.secret ?? '')),
}

const scopes = {
  getAllByIdentifiers: async (names: string[]) => names.map((name) => ({ name })),
  finalize: async (all: { name: string }[]) => all,
}

const tokens = {
  issueToken: async (
    own: OAuthClient,
    all: { name: string }[],
    owner?: { id: string | number } | null,
  ): Promise<OAuthToken> => ({
    accessToken: random(),
    accessTokenExpiresAt: new DateInterval('1h').getEndDate(),
    client: own,
    user: owner ?? null,
    scopes: all,
  }),
  issueRefreshToken: async (token: OAuthToken): Promise<OAuthToken> => {
    const issued = { ...token, refreshToken: random(), refreshTokenExpiresAt: new DateInterval('30d').getEndDate() }
    byRefresh.set(issued.refreshToken, issued)
    return issued
  },
  persist: async (token: OAuthToken) => void byAccess.set(token.accessToken, token),
  revoke: async (token: OAuthToken) => {
    byAccess.delete(token.accessToken)
    byRefresh.delete(token.refreshToken ?? '')
  },
  isRefreshTokenRevoked: async (token: OAuthToken) => !byRefresh.has(token.refreshToken ?? ''),
  getByRefreshToken: async (refreshToken: string) => requireFound(byRefresh.get(refreshToken)),
  getByAccessToken: async (accessToken: string) => requireFound(byAccess.get(accessToken)),
}

const authCodes = {
  getByIdentifier: async (code: string) => requireFound(codes.get(code)),
  issueAuthCode: (
    own: OAuthClient,
    owner: { id: string | number } | undefined,
    all: { name: string }[],
  ): OAuthAuthCode => ({
    code: random(),
    client: own,
    user: owner ?? null,
    scopes: all,
    expiresAt: new DateInterval('1m').getEndDate(),
  }),
  persist: async (code: OAuthAuthCode) => void codes.set(code.code, code),
  isRevoked: async (code: string) => revokedCodes.has(code),
  revoke: async (code: string) => void revokedCodes.add(code),
}

const server = new AuthorizationServer(clients, tokens, scopes, jwt, {
  issuer,
  useOpaqueAuthorizationCodes: true,
  useOpaqueRefreshTokens: true,
})
server.enableGrantTypes(
  ['client_credentials', new DateInterval('1h')],
  ['refresh_token', new DateInterval('1h')],
  [
    {
      grant: 'authorization_code',
      authCodeRepository: authCodes,
      userRepository: { getUserByCredentials: async () => user },
    },
    new DateInterval('1h'),
  ],
)

const app = express()
app.disable('x-powered-by')

app.get('/auth', async (request, response) => {
  const authorization = await server.validateAuthorizationRequest(requestFromExpress(request))
  authorization.user = sessions.get(digest((request.headers.cookie ?? '').slice('session='.length)))
  authorization.isAuthorizationApproved = true
  handleExpressResponse(response, await server.completeAuthorizationRequest(authorization))
})

app.post('/token', express.urlencoded({ extended: false }), async (request, response) => {
  handleExpressResponse(response, await server.respondToAccessTokenRequest(requestFromExpress(request)))
})

app.post('/introspection', express.urlencoded({ extended: false }), async (request, response) => {
  handleExpressResponse(response, await server.introspect(requestFromExpress(request)))
})

await serveTarget({
  listener: app,
  site: {
    oauth: {
      paths: { token: '/token', authorize: '/auth', introspection: '/introspection' },
      clientId: client.id,
      clientSecret,
      redirectUri,
      scope: 'openid email',
      cookies: [`session=${sessionSecret}`],
      serviceParameters: { scope: 'api.read' },
    },
  },
})
