import { requireSameOrigin, type AuthorizationServer, type CookieSessions } from '@mintmark/core'
import { redirect, type Endpoint } from '@mintmark/core/http'
import { approvalPage, readConsentForm } from '@mintmark/pages'

/** Asks the user about the request that the link in the message names: `/approve?request=ID`. */
export const approvalEndpoint =
  (server: AuthorizationServer, sessions: CookieSessions): Endpoint =>
  async (request) => {
    requireSameOrigin(request) // refuses forms that other sites post
    const signIn = redirect(`/sign-in?return_to=${encodeURIComponent(request.url.pathname + request.url.search)}`)
    const signedIn = await sessions.signedIn(request)
    if (!signedIn) return signIn

    const pending = await server.approval(request.url.searchParams.get('request') ?? '', signedIn.subject)
    if (pending === undefined) return approvalPage({ kind: 'ended' }, request)
    if (request.method !== 'POST') return approvalPage({ kind: 'ask', pending }, request)
    const { decision, ...granted } = readConsentForm(request)
    const outcome =
      decision === 'allow' ? await pending.approve({ ...signedIn, ...granted, request }) : await pending.deny()
    return outcome === 'sign_in_required' ? signIn : approvalPage({ kind: outcome, client: pending.client }, request)
  }
