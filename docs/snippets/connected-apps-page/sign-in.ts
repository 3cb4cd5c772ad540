import { redirectAfterSignIn, requireSameOrigin, type CookieSessions, type limitSignIns } from '@mintmark/core'
import type { Endpoint } from '@mintmark/core/http'
import { readSignInForm, signInPage } from '@mintmark/pages'

export interface SignInParts {
  readonly sessions: CookieSessions
  readonly attempts: ReturnType<typeof limitSignIns>
  readonly findUser: (name: string, password: string) => { readonly id: string } | undefined
}

/** Signs users in to your own product, without a client: `/sign-in?return_to=/account`. */
export const signInEndpoint =
  ({ sessions, attempts, findUser }: SignInParts): Endpoint =>
  async (request) => {
    requireSameOrigin(request) // another site must not sign the browser in as another user
    if (request.method !== 'POST') return signInPage({}, request)
    const attempt = readSignInForm(request)
    if (!attempt) return signInPage({ error: 'incomplete' }, request)
    const address = (request.host as { ip?: string }).ip
    const { allowed, report } = await attempts({ account: attempt.username, address })
    const user = allowed ? findUser(attempt.username, attempt.password) : undefined
    await report(user ? 'succeeded' : 'failed')
    const error = allowed ? 'rejected' : 'throttled'
    if (!user) return signInPage({ loginHint: attempt.username, error }, request)
    const started = await sessions.start(request, { subject: user.id, amr: ['pwd'] })
    return redirectAfterSignIn(started, {
      returnTo: request.url.searchParams.get('return_to'),
      otherwise: '/account',
    })
  }
