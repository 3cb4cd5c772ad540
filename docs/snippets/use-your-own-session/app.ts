import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { toExpress } from '@mintmark/adapter-express'
import { limitSignIns, localPath, logEvents } from '@mintmark/core'
import express from 'express'
import session from 'express-session'
import { issuer, server } from './authorization-server.ts'
import { findUser } from './users.ts'

export const app = express()
app.use(session({ secret: process.env['SESSION_SECRET'] ?? '', resave: false, saveUninitialized: false }))

app.use(toExpress(server))

// The rest is your product, unchanged.
app.use(express.urlencoded({ extended: false }))
app.get('/sign-in', (_request, response) => {
  response.send(
    '<form method="post"><input name="email"><input name="password" type="password"><button>Sign in</button></form>',
  )
})

const attempts = limitSignIns({ onEvent: logEvents(console) })
app.post('/sign-in', async (request, response) => {
  // Another site must not sign the browser in as another user (RFC 9700 §4.7).
  if (request.get('origin') !== new URL(issuer).origin) return response.sendStatus(403)
  const { email = '', password } = request.body as Record<string, string>
  const { allowed, report } = await attempts({ account: email, address: request.ip })
  if (!allowed) return response.sendStatus(429)
  const user = findUser(email, password)
  await report(user ? 'succeeded' : 'failed')
  if (user) {
    // A new session identifier prevents session fixation.
    await promisify<void>((done) => request.session.regenerate(done))()
    request.session.user = { id: user.id, signedInAt: Math.floor(Date.now() / 1000), sessionId: randomUUID() }
  }
  return response.redirect(303, user ? localPath(request.query['return_to']) : request.originalUrl)
})
