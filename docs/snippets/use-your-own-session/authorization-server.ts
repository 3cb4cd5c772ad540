import { createAuthorizationServer, createStoredKeys } from '@mintmark/core'
import { redirect } from '@mintmark/core/http'
import { consentPage, errorPage, logoutPage, readConsentForm, selectAccountPage } from '@mintmark/pages'
import { createSqlStorage } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { endSession, signedIn } from './host-session.ts'

export const issuer = process.env['ISSUER_URL'] ?? 'http://localhost:3000'
export const storage = await createSqlStorage({
  issuer,
  dialect: openSqliteDialect(process.env['DATABASE'] ?? 'mintmark.db', { migrate: 'on-open' }),
})

export const server = createAuthorizationServer({
  issuer,
  storage,
  keys: createStoredKeys({ storage, sealingKey: process.env['SEALING_KEY'] ?? '' }),
  signedIn,
  logout: { endSession, renderPage: logoutPage },
  renderErrorPage: errorPage,
  pages: {
    // Your sign-in page authenticates the user and redirects the browser back here.
    async login(pending, request) {
      const { url } = request
      const user = url.searchParams.has('back') ? await signedIn(request) : undefined
      if (user) return pending.complete(user)
      const returnTo = `${url.pathname}${url.search}&back`
      return redirect(`/sign-in?${new URLSearchParams({ return_to: returnTo }).toString()}`)
    },
    // Shown when a client requests that the user selects an account. "Use another account" on this page leads to `login`.
    async selectAccount(pending, request) {
      return request.method === 'POST' ? pending.complete({ account: 'signed_in' }) : selectAccountPage(pending)
    },
    async consent(pending, request) {
      if (request.method !== 'POST') return consentPage(pending)
      const { decision, grantedScopes, organization } = readConsentForm(request)
      return decision === 'allow' ? pending.complete({ grantedScopes, organization }) : pending.deny()
    },
  },
})
await server.ready() // throws if another sealing key sealed the stored keys
