import type { CookieSessions, InteractionPage } from '@mintmark/core'
import { redirect, withHeaders } from '@mintmark/core/http'
import { readSignInForm, readUsernameForm, signInPage } from '@mintmark/pages'
import { findUser, ssoAddressOf } from './yours.ts'

const alternatives = [{ label: 'GitHub', url: '/sign-in/github' }]

/** For `pages.login`. */
export const nameFirst =
  (sessions: CookieSessions): InteractionPage =>
  async (pending, request) => {
    const username = readUsernameForm(request)
    if (username !== undefined) {
      const sso = ssoAddressOf(username) // by the domain of the address; undefined without a customer's sign-in
      if (sso !== undefined) return redirect(sso)
      return signInPage({ ...pending, loginHint: username, remember: 'unchecked' }, request)
    }
    const attempt = readSignInForm(request)
    if (!attempt) return signInPage({ ...pending, fields: 'username', alternatives }, request)
    const user = await findUser(attempt) // with limitSignIns, as above
    if (!user) return signInPage({ ...pending, loginHint: attempt.username, error: 'rejected' }, request)
    const { signedIn, headers } = await sessions.start(request, {
      subject: user.id,
      amr: ['pwd'],
      remember: attempt.remember,
    })
    return withHeaders(await pending.complete(signedIn), headers)
  }
