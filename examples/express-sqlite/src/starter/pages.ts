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
import type { People } from './people.ts'

/**
 * The sign-in page: the host checks the password and starts its session, and Mintmark goes on from there. A name may be tried
 * ten times in five minutes; in a browser that the person has used before, whatever strangers try elsewhere, ten times more.
 */
export function askSignIn({ people, sessions, browsers }: SignInParts): InteractionPage {
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
    const person = await people.verify(attempt)
    if (person === undefined) return show('rejected')

    const { signedIn, headers } = await sessions.start(request, { subject: person.subject, amr: ['pwd'] })
    return withHeaders(await pending.complete(signedIn), [...headers, browsers.remember(username)])
  }
}

interface SignInParts {
  readonly people: People
  readonly sessions: CookieSessions
  readonly browsers: KnownBrowsers
}

/** The consent page. */
export function askConsent({ people }: { readonly people: People }): InteractionPage {
  return async (pending, request) => {
    const person = people.find(pending.subject ?? '')
    if (person === undefined) return pending.deny()
    if (request.method !== 'POST') {
      return consentPage({ ...pending, accountName: person.email, locale: localeOf(request, pending) })
    }
    const { decision, grantedScopes } = readConsentForm(request)
    return decision === 'allow' ? pending.complete({ grantedScopes }) : pending.deny()
  }
}

const localeOf = (request: ServerRequest, pending: PendingInteraction): Locale =>
  chooseLocale(pending.uiLocales, request.headers.get('accept-language'))
