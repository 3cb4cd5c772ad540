// @node-oauth/oauth2-server on Express, with Maps as the model. The library creates opaque tokens; a hook signs JWTs if
// the settings request them.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

import OAuth2Server from '@node-oauth/oauth2-server'
import express, { type Request, type Response } from 'express'
import { generateKeyPair, SignJWT } from 'jose'

import { issuer, fixtureUser, redirectUri } from '../fixture.ts'
import { serveTarget, targetSettings } from '../serve-target.ts'

const { accessTokens, algorithm } = targetSettings()
const clientSecret = 'f7x0dVwTqv6yEu2cB9jP4mN1kL8sA3hRgZoWiXtYeUc'
const sessionSecret = 'q1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6j7k8l9z0x1c'
const { privateKey } = await generateKeyPair(algorithm)

const digest = (text: string): string => hash('sha256', text, 'base64url')

const client = {
  id: 'client',
  redirectUris: [redirectUri],
  grants: ['authorization_code', 'refresh_token', 'client_credentials'],
}
const user = { id: fixtureUser.userId }
const secretDigest = Buffer.from(digest(clientSecret))
const sessions = new Map([[digest(sessionSecret), user]])
const codes = new Map<string, OAuth2Server.AuthorizationCode>()
const tokensByAccess = new Map<string, OAuth2Server.Token>()
const tokensByRefresh = new Map<string, OAuth2Server.Token>()

const model = {
  ...(accessTokens === 'jwt' && { generateAccessToken: signAccessToken }),
  getClient: async (id: string, secret: string | null) => {
    const isValid = secret === null || timingSafeEqual(Buffer.from(digest(secret)), secretDigest)
    return id === client.id && isValid ? client : undefined
  },
  getUserFromClient: async () => ({ id: client.id }),
  validateScope: async (_user: unknown, _client: unknown, scope?: string[]) => scope ?? [],
  saveAuthorizationCode: async (code: SavedCode, own: OAuth2Server.Client, owner: OAuth2Server.User) => {
    const saved = { ...code, client: own, user: owner }
    codes.set(digest(code.authorizationCode), saved)
    return saved
  },
  getAuthorizationCode: async (code: string) => codes.get(digest(code)),
  revokeAuthorizationCode: async ({ authorizationCode }: OAuth2Server.AuthorizationCode) =>
    codes.delete(digest(authorizationCode)),
  saveToken: async (token: OAuth2Server.Token, own: OAuth2Server.Client, owner: OAuth2Server.User) => {
    const saved = { ...token, client: own, user: owner }
    tokensByAccess.set(digest(token.accessToken), saved)
    if (token.refreshToken !== undefined) tokensByRefresh.set(digest(token.refreshToken), saved)
    return saved
  },
  getAccessToken: async (token: string) => tokensByAccess.get(digest(token)),
  getRefreshToken: async (token: string) => tokensByRefresh.get(digest(token)) as OAuth2Server.RefreshToken | undefined,
  revokeToken: async ({ refreshToken }: OAuth2Server.RefreshToken) => tokensByRefresh.delete(digest(refreshToken)),
}

type SavedCode = Pick<
  OAuth2Server.AuthorizationCode,
  'authorizationCode' | 'expiresAt' | 'redirectUri' | 'scope' | 'codeChallenge' | 'codeChallengeMethod'
>

async function signAccessToken(own: OAuth2Server.Client, owner: OAuth2Server.User, scope: string[]): Promise<string> {
  return new SignJWT({ client_id: own.id, scope: scope.join(' '), jti: randomBytes(16).toString('base64url') })
    .setProtectedHeader({ alg: algorithm, typ: 'at+jwt', kid: 'k' })
    .setIssuer(issuer)
    .setSubject(String(owner['id']))
    .setAudience(issuer)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey)
}

const server = new OAuth2Server({ model, accessTokenLifetime: 3600 })
const app = express()
app.disable('x-powered-by')

app.get('/auth', async (request, response) => {
  const answer = new OAuth2Server.Response(response)
  const handle = (): unknown => sessions.get(digest((request.headers.cookie ?? '').slice('session='.length)))
  await server.authorize(requestOf(request), answer, { authenticateHandler: { handle } })
  send(response, answer)
})

app.post('/token', express.urlencoded({ extended: false }), async (request, response) => {
  const answer = new OAuth2Server.Response(response)
  await server.token(requestOf(request), answer)
  send(response, answer)
})

app.get('/userinfo', async (request, response) => {
  const token = await server.authenticate(requestOf(request), new OAuth2Server.Response(response))
  response.json({ sub: String(token.user['id']), email: fixtureUser.email })
})

const requestOf = (request: Request): OAuth2Server.Request => new OAuth2Server.Request(request)

function send(response: Response, answer: OAuth2Server.Response): void {
  response.set(answer.headers ?? {}).status(answer.status ?? 200)
  response.send(answer.body)
}

await serveTarget({
  listener: app,
  site: {
    oauth: {
      paths: { token: '/token', authorize: '/auth', userinfo: '/userinfo' },
      clientId: client.id,
      clientSecret,
      redirectUri,
      scope: 'openid email',
      cookies: [`session=${sessionSecret}`],
      serviceParameters: { scope: 'api.read' },
    },
  },
})
