import { consentPage, readConsentForm, readSignInForm, signInPage } from '@mintmark/pages'
import { type AuthorizationServerOptions, limitSignIns, logEvents } from '@mintmark/core'

import { startSession } from './your-session.ts'

const attempts = limitSignIns({ onEvent: logEvents(console) })

/** Sign-in and consent pages that work without scripts. */
export const pages: AuthorizationServerOptions['pages'] = {
  async login(pending, request) {
    const attempt = readSignInForm(request)
    if (!attempt) return signInPage(pending)
    const { allowed, report } = await attempts({ account: attempt.username })
    const signedIn = allowed && (await startSession(attempt.username, attempt.password))
    await report(signedIn ? 'succeeded' : 'failed')
    return signedIn ? pending.complete(signedIn) : signInPage({ ...pending, error: allowed ? 'rejected' : 'throttled' })
  },
  async consent(pending, request) {
    if (request.method !== 'POST') return consentPage(pending)
    const { decision, grantedScopes, organization } = readConsentForm(request)
    return decision === 'allow' ? pending.complete({ grantedScopes, organization }) : pending.deny()
  },
}
