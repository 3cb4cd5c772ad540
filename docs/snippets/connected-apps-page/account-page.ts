import { createConnectedApps, requireSameOrigin, type CookieSessions } from '@mintmark/core'
import { redirect, type Endpoint } from '@mintmark/core/http'
import { accountPage } from '@mintmark/pages'
import type { OAuthStorage } from '@mintmark/storage-interface'

/** Lists a user's connected applications and sessions, and revokes them on request. */
export function accountEndpoint({
  storage,
  sessions,
}: {
  readonly storage: OAuthStorage
  readonly sessions: CookieSessions
}): Endpoint {
  const apps = createConnectedApps({ storage })

  return async (request) => {
    requireSameOrigin(request) // refuses forms that other sites post
    const signedIn = await sessions.signedIn(request)
    if (!signedIn) return redirect('/sign-in?return_to=/account')
    const { subject, sessionId: currentSessionId = '' } = signedIn

    if (request.method === 'POST') {
      const form = new URLSearchParams(new TextDecoder().decode(request.body))
      if (form.has('others')) await sessions.revokeOthers(subject, currentSessionId)
      await apps.disconnect(subject, form.get('app') ?? '')
      await sessions.revoke(subject, form.get('session') ?? '')
      return redirect(request.url.pathname)
    }
    const lists = { apps: await apps.list(subject), sessions: await sessions.list(subject) }
    return accountPage({ ...lists, currentSessionId, scopes: { 'orders.read': 'See your orders' } }, request)
  }
}
