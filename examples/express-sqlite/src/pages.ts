import { memoryRateLimiter, type AuthorizationServer, type CookieSessions, type PendingInteraction } from '@mintmark/core'
import { withHeaders, type Endpoint, type ServerRequest, type ServerResponse } from '@mintmark/core/http'
import { chooseLocale, consentPage, readConsentForm, readSignInForm, signInPage, type Locale, type SignInError } from '@mintmark/pages'
import { epochSeconds } from '@mintmark/storage-interface'

import type { People } from './people.ts'

/** What the pages work with. */
interface PageDependencies {
  readonly server: AuthorizationServer
  readonly sessions: CookieSessions
  readonly people: People
}

/** The sign-in page: the host checks the password, starts its session, and says so to Mintmark. */
export function loginEndpoint({ server, sessions, people }: PageDependencies): Endpoint {
  const attempts = memoryRateLimiter({ points: 10, window: 300 })

  return interactive(server, async (request, pending) => {
    const attempt = readSignInForm(request)
    const loginHint = attempt?.username ?? pending.loginHint
    const show = (error?: SignInError): ServerResponse =>
      signInPage({ ...pending, loginHint, error, locale: localeOf(request, pending) })
    if (request.method !== 'POST') return show()

    if (attempt === undefined) return show('incomplete')
    const allowance = await attempts.consume(attempt.username.toLowerCase(), epochSeconds(Date.now() / 1000))
    if (!allowance.allowed) return withHeaders(show('throttled'), [['Retry-After', String(allowance.retryAfter)]])
    const person = await people.verify(attempt)
    if (person === undefined) return show('rejected')

    const { signedIn, headers } = await sessions.start(request, { subject: person.subject, amr: ['pwd'] })
    return withHeaders(await pending.complete(signedIn), headers)
  })
}

/** The consent page. */
export function consentEndpoint({ server, people }: PageDependencies): Endpoint {
  return interactive(server, async (request, pending) => {
    // Nobody has signed in yet: Mintmark answers with the way to the sign-in page.
    if (pending.subject === undefined) return pending.complete({})
    const person = people.find(pending.subject)
    if (person === undefined) return pending.deny()
    if (request.method !== 'POST') {
      return consentPage({ ...pending, accountName: person.email, locale: localeOf(request, pending) })
    }

    const { decision, grantedScopes } = readConsentForm(request)
    return decision === 'allow' ? pending.complete({ grantedScopes }) : pending.deny()
  })
}

/** A page that belongs to a pending authorization request. What goes wrong is for the server to answer. */
function interactive(
  server: AuthorizationServer,
  page: (request: ServerRequest, pending: PendingInteraction) => Promise<ServerResponse>,
): Endpoint {
  return async (request) => {
    try {
      return await page(request, await server.interaction(request))
    } catch (error) {
      return server.renderError(error, request)
    }
  }
}

const localeOf = (request: ServerRequest, pending: PendingInteraction): Locale =>
  chooseLocale(pending.uiLocales, request.headers.get('accept-language'))
