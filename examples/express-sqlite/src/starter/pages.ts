import {
  createMemoryRateLimiter,
  type CookieSessions,
  type InteractionPage,
  type PendingInteraction,
} from '@mintmark/core'
import { withHeaders, type ServerRequest, type ServerResponse } from '@mintmark/core/http'
import {
  chooseLocale,
  consentPage,
  readConsentForm,
  readSignInForm,
  signInPage,
  type Locale,
  type SignInError,
} from '@mintmark/pages'
import { epochSeconds } from '@mintmark/storage-interface'

import type { KnownBrowsers } from './known-browser.ts'
import type { Users } from './users.ts'

/**
 * The sign-in page. The host checks the password and starts its session, and Mintmark continues from there. A user name may
 * be tried ten times in five minutes. In a browser that the user has used before there are ten more attempts, so that
 * attackers cannot lock the user out.
 */
export function askSignIn({ users, sessions, browsers }: SignInParts): InteractionPage {
  const attempts = createMemoryRateLimiter({ points: 10, window: 300 })

  return async (pending, request) => {
    const attempt = readSignInForm(request)
    const loginHint = attempt?.username ?? pending.loginHint
    const show = (error?: SignInError): ServerResponse =>
      signInPage({ ...pending, loginHint, error, locale: localeOf(request, pending) })
    if (request.method !== 'POST') return show()
    if (attempt === undefined) return show('incomplete')

    const username = attempt.username.toLowerCase()
    const whose = browsers.isKnown(request, username) ? 'known' : 'stranger'
    const allowance = await attempts.consume(`${whose} ${username}`, epochSeconds(Date.now() / 1000))
    if (!allowance.allowed) return withHeaders(show('throttled'), [['Retry-After', String(allowance.retryAfter)]])
    const user = await users.verify(attempt)
    if (user === undefined) return show('rejected')

    const { signedIn, headers } = await sessions.start(request, { subject: user.subject, amr: ['pwd'] })
    return withHeaders(await pending.complete(signedIn), [...headers, browsers.remember(username)])
  }
}

interface SignInParts {
  readonly users: Users
  readonly sessions: CookieSessions
  readonly browsers: KnownBrowsers
}

/** The consent page. */
export function askConsent({ users }: { readonly users: Users }): InteractionPage {
  return async (pending, request) => {
    const user = users.find(pending.subject ?? '')
    if (user === undefined) return pending.deny()
    if (request.method !== 'POST') {
      return consentPage({ ...pending, accountName: user.email, locale: localeOf(request, pending) })
    }
    const { decision, grantedScopes } = readConsentForm(request)
    return decision === 'allow' ? pending.complete({ grantedScopes }) : pending.deny()
  }
}

const localeOf = (request: ServerRequest, pending: PendingInteraction): Locale =>
  chooseLocale(pending.uiLocales, request.headers.get('accept-language'))
