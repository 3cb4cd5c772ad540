import {
  redirectAfterSignIn,
  requireSameOrigin,
  type CookieSessions,
  type InteractionPage,
  type limitSignIns,
} from '@mintmark/core'
import { withHeaders, type Endpoint, type Header, type ServerRequest, type ServerResponse } from '@mintmark/core/http'
import { createPages, readConsentForm, readSignInForm, type SignInError } from '@mintmark/pages'
import { allLanguages } from '@mintmark/pages/languages'

import type { KnownBrowsers } from '#known-browser'
import { addressOf } from '#site'
import type { SignInUsers, User } from '#user'

/** The pages of your product, in each user's language. Change the name and the colours, and add a logo and links. */
const { signInPage, selectAccountPage, consentPage, errorPage, logoutPage, passkeysPage } = createPages({
  languages: allLanguages,
  branding: {
    productName: 'Example',
    colors: { light: { accent: '#0b6a4f' }, dark: { accent: '#66d5ac' } },
  },
})

export { errorPage, logoutPage, passkeysPage }

/** Creates the sign-in page that Mintmark shows when a client signs a user in. */
export function askSignIn(parts: SignInParts): InteractionPage {
  const signIn = createSignIn(parts)
  return async (pending, request) => {
    const outcome = await signIn(request, pending)
    if ('page' in outcome) return outcome.page
    return withHeaders(await pending.complete(outcome.signedIn), outcome.headers)
  }
}

/** Creates the sign-in page of your own site, such as `/sign-in?return_to=/account`. */
export function askSiteSignIn(parts: SignInParts): Endpoint {
  const signIn = createSignIn(parts)
  return async (request) => {
    // Another site must not sign the browser in as another user (RFC 9700 §4.7).
    requireSameOrigin(request)
    const outcome = await signIn(request, {})
    if ('page' in outcome) return outcome.page
    return redirectAfterSignIn(outcome, { returnTo: request.url.searchParams.get('return_to'), otherwise: '/' })
  }
}

/**
 * Creates the function that shows the form, checks the passkey or the password, and starts a session. Within five minutes it allows ten
 * failed attempts per user, whichever of the user's names is entered, and a hundred per IP address. For a browser that the user
 * has used before it allows ten more attempts, so that attackers cannot lock the user out.
 */
function createSignIn({ users, sessions, browsers, attempts, passkeys }: SignInParts) {
  return async (request: ServerRequest, pending: PendingSignIn): Promise<SignInOutcome> => {
    const attempt = readSignInForm(request)
    const loginHint = attempt?.username ?? pending.loginHint
    const offered = await passkeys?.offer(request)
    const show = (error?: SignInError, headers: ServerResponse['headers'] = []): SignInOutcome => ({
      page: withHeaders(
        signInPage({ ...pending, loginHint, usernameHint: 'directory', passkey: offered?.passkey, error }, request),
        [...(offered?.headers ?? []), ...headers],
      ),
    })
    const start = async ({ subject }: User, amr: readonly string[]): Promise<SignInOutcome> => {
      const started = await sessions.start(request, { subject, amr })
      const headers = [...started.headers, browsers.remember(request, subject), ...(passkeys?.forget ?? [])]
      return { ...started, headers }
    }
    if (request.method !== 'POST') return show()
    const owner = await passkeys?.verify(request)
    if (owner === 'rejected') return show('rejected')
    // RFC 8176: a key, and the user was verified.
    if (owner !== undefined) return start(owner, ['swk', 'user'])
    if (attempt === undefined) return show('incomplete')

    const name = (await users.findByName(attempt.username))?.subject ?? attempt.username.toLowerCase()
    const account = `${browsers.isKnown(request, name) ? 'known' : 'stranger'} ${name}`
    const allowance = await attempts({ account, address: addressOf(request) })
    if (!allowance.allowed) return show('throttled', [['Retry-After', String(allowance.retryAfter)]])
    const user = await users.verify(attempt)
    await allowance.report(user === undefined ? 'failed' : 'succeeded')
    return user === undefined ? show('rejected') : start(user, ['pwd'])
  }
}

/** What the sign-in page shows of the request of a client. */
type PendingSignIn = Parameters<typeof signInPage>[0]

type SignInOutcome = { readonly page: ServerResponse } | Awaited<ReturnType<CookieSessions['start']>>

/** Signs users in with passkeys. */
export interface PasskeySignIn {
  /** Returns what the sign-in page offers to the browser, and the cookie that binds it to this browser. */
  offer(request: ServerRequest): Promise<{ readonly passkey: object; readonly headers: readonly Header[] }>
  /** Returns the user whose passkey was posted; undefined if the form has no passkey. */
  verify(request: ServerRequest): Promise<User | 'rejected' | undefined>
  /** Removes the cookie after a sign-in, so that the same response signs nobody in again. */
  readonly forget: readonly Header[]
}

interface SignInParts {
  readonly users: SignInUsers
  readonly sessions: CookieSessions
  readonly attempts: ReturnType<typeof limitSignIns>
  readonly browsers: KnownBrowsers
  readonly passkeys?: PasskeySignIn
}

/** The page on which a signed-in user chooses an account, if the client requests it (`prompt=select_account`). */
export const askAccount: InteractionPage = async (pending, request) =>
  request.method === 'POST' ? pending.complete({ account: 'signed_in' }) : selectAccountPage(pending, request)

/** Creates the consent page. */
export function askConsent({ users }: { readonly users: SignInUsers }): InteractionPage {
  return async (pending, request) => {
    const user = await users.find(pending.subject ?? '')
    if (user === undefined) return pending.deny()
    if (request.method !== 'POST') return consentPage({ ...pending, accountName: user.email }, request)
    const { decision, grantedScopes, organization } = readConsentForm(request)
    return decision === 'allow' ? pending.complete({ grantedScopes, organization }) : pending.deny()
  }
}
