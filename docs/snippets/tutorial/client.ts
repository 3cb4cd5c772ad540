import express, { type ErrorRequestHandler } from 'express'
import * as openid from 'openid-client'

const issuer = new URL(process.env['ISSUER_URL'] ?? 'http://localhost:3000')
const self = new URL(process.env['CLIENT_URL'] ?? 'http://localhost:4000')
const proof = openid.ClientSecretBasic(process.env['CLIENT_SECRET'])
const config = await openid.discovery(issuer, 'my-app', undefined, proof, { execute: [openid.allowInsecureRequests] })

// Works for one browser at a time; a real client keeps these values in the user's session.
let checks = { pkceCodeVerifier: '', expectedState: '' }
let refreshToken = ''

const app = express()
app.get('/', async (_request, response) => {
  checks = { pkceCodeVerifier: openid.randomPKCECodeVerifier(), expectedState: openid.randomState() }
  const start = openid.buildAuthorizationUrl(config, {
    redirect_uri: `${self.origin}/callback`,
    scope: 'openid profile email offline_access',
    state: checks.expectedState,
    code_challenge: await openid.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  response.redirect(start.href)
})
app.get('/callback', async (request, response) => {
  const tokens = await openid.authorizationCodeGrant(config, new URL(request.originalUrl, self), checks)
  refreshToken = tokens.refresh_token ?? ''
  response.json(tokens.claims())
})
app.get('/refresh', async (_request, response) => {
  const tokens = await openid.refreshTokenGrant(config, refreshToken)
  refreshToken = tokens.refresh_token ?? ''
  response.json({ refreshed: true, expires_in: tokens.expires_in })
})
const sendError: ErrorRequestHandler = (error: { error?: string }, _request, response, _next) => {
  response.status(400).json({ error: error.error })
}
app.use(sendError)
app.listen(self.port)
