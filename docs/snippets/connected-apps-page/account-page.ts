import { createConnectedApps, requireSameOrigin, type CookieSessions } from '@mintmark/core'
import { redirect, type Endpoint } from '@mintmark/core/http'
import type { OAuthStorage } from '@mintmark/storage-interface'
import { accountHtml } from './account-html.ts'

/** Lists a user's connected applications and sessions, and revokes them on request. */
export function accountPage({
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
    if (!signedIn) return redirect('/sign-in')
    const { subject, sessionId: present = '' } = signedIn

    if (request.method === 'POST') {
      const form = new URLSearchParams(new TextDecoder().decode(request.body))
      if (form.has('others')) await sessions.revokeOthers(subject, present)
      await apps.disconnect(subject, form.get('app') ?? '')
      await sessions.revoke(subject, form.get('session') ?? '')
      return redirect(request.url.pathname)
    }
    return accountHtml(await apps.list(subject), await sessions.list(subject), present)
  }
}
