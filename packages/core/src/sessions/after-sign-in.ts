import { redirect, type ServerResponse } from '@mintmark/internal'

import { refuse } from '../refusals.ts'
import type { CookieSessions } from './cookie-sessions.ts'

/**
 * Ends a sign-in to your own product, without a client: sets the cookie of the session and redirects to `returnTo`, the path
 * where the user wanted to go, such as `request.url.searchParams.get('return_to')`. A form must have passed `requireSameOrigin`.
 * @param started what `start` of `createCookieSessions` returned.
 * @param path where a browser goes after its sign-in: `otherwise`, a path of your site, is used if there is no `returnTo`, or if
 *   it leads to another site.
 * @throws OAuthError access_denied — reason `user_inactive` or `user_unknown`: there is no session, and `renderError` says so.
 * @throws TypeError when `otherwise` is not a path of your site.
 */
export function redirectAfterSignIn(
  { outcome, signedIn, headers }: Awaited<ReturnType<CookieSessions['start']>>,
  path: { readonly returnTo: unknown; readonly otherwise: string },
): ServerResponse {
  const location = localPath(path.returnTo, path.otherwise)
  // Without a session, the page behind the redirect would send the user back to the sign-in page, for ever (RFC 6749 §4.1.2.1).
  if (outcome === 'user_inactive') throw refuse('user_inactive_page', { userId: signedIn.subject })
  if (outcome === 'user_unknown') throw refuse('user_unknown', { userId: signedIn.subject })
  return redirect(location, headers)
}

/**
 * Returns the value if it is a path of this site, such as `/orders?page=2`, or else `otherwise`. Check every address with it that
 * a request names and that your site redirects to: a crafted link must not lead from your sign-in page to another site (RFC 9700
 * §4.11.1).
 * @throws TypeError when `otherwise` is not a path.
 */
export function localPath(value: unknown, otherwise = '/'): string {
  const fallback = parsePath(otherwise)
  if (fallback === undefined) throw new TypeError('localPath: otherwise must be a path of this site, such as /account.')
  return parsePath(value) ?? fallback
}

/**
 * Browsers take `//host` and `/\host` for another site. The parser turns the second form, and `/.//host`, into the first, so the
 * result is checked and not the value.
 */
function parsePath(value: unknown): string | undefined {
  if (typeof value !== 'string' || !value.startsWith('/') || !URL.canParse(value, base)) return undefined
  const { origin, pathname, search, hash } = new URL(value, base)
  return origin === base && !pathname.startsWith('//') ? pathname + search + hash : undefined
}

const base = 'https://base.invalid'
