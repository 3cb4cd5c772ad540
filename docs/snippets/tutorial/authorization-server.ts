import {
  createCookieSessions,
  createAuthorizationServer,
  logEvents,
  createStoredKeys,
  limitSignIns,
} from '@mintmark/core'
import { withHeaders } from '@mintmark/core/http'
import { consentPage, errorPage, logoutPage, readConsentForm, readSignInForm, signInPage } from '@mintmark/pages'
import { createSqlStorage } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { findUser } from './users.ts'

export const issuer = process.env['ISSUER_URL'] ?? 'http://localhost:3000'
export const storage = await createSqlStorage({
  issuer,
  dialect: openSqliteDialect('mintmark.db', { migrate: 'on-open' }),
})
const sessions = createCookieSessions({ storage })
const attempts = limitSignIns({ onEvent: logEvents(console) })

export const server = createAuthorizationServer({
  issuer,
  storage,
  keys: createStoredKeys({ storage, sealingKey: process.env['SEALING_KEY'] ?? '' }),
  signedIn: sessions.signedIn,
  logout: { endSession: sessions.end, renderPage: logoutPage },
  renderErrorPage: errorPage,
  onEvent: logEvents(console),
  pages: {
    async login(pending, request) {
      const attempt = readSignInForm(request)
      if (!attempt) return signInPage(pending)
      const address = (request.host as { ip?: string }).ip // from Express: behind a proxy, set 'trust proxy'
      const { allowed, report } = await attempts({ account: attempt.username, address })
      const user = allowed && findUser(attempt.username, attempt.password)
      await report(user ? 'succeeded' : 'failed')
      if (!user) return signInPage({ ...pending, error: allowed ? 'rejected' : 'throttled' })
      const { signedIn, headers } = await sessions.start(request, { subject: user.id, amr: ['pwd'] })
      return withHeaders(await pending.complete(signedIn), headers)
    },
    async consent(pending, request) {
      if (request.method !== 'POST') return consentPage(pending)
      const { decision, grantedScopes, organization } = readConsentForm(request)
      return decision === 'allow' ? pending.complete({ grantedScopes, organization }) : pending.deny()
    },
  },
})
