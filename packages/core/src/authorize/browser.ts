import type { SecretDigest } from '@mintmark/storage-interface'

import { OAuthError } from '../error/oauth-error.ts'
import {
  defineCookie,
  readCookie,
  setCookie,
  type CookieDefinition,
  type Header,
  type ServerRequest,
} from '../http/index.ts'
import { digestSecret } from '../runtime/digest.ts'
import { randomSecret, type Random } from '../runtime/random.ts'

/** The cookie that a server knows its browsers by. */
export const defineBrowserCookie = (issuer: string): CookieDefinition => defineCookie(issuer, 'mintmark-browser')

/** The browser that an interaction belongs to, known by a cookie that it alone has. */
export interface BrowserBinding {
  readonly digest: SecretDigest
  /** Sets the cookie in a browser that had none. */
  readonly headers: readonly Header[]
}

/** Reads the browser's cookie; `undefined` when it has none, or one that this server did not make. */
export async function readBrowser(request: ServerRequest, cookie: CookieDefinition): Promise<SecretDigest | undefined> {
  const secret = readCookie(request, cookie)
  return secret !== undefined && /^[A-Za-z0-9_-]{43}$/.test(secret) ? digestSecret(secret) : undefined
}

/** Binds to the browser's cookie, or gives it one. One cookie serves any number of tabs. */
export async function bindBrowser(
  request: ServerRequest,
  cookie: CookieDefinition,
  random: Random,
): Promise<BrowserBinding> {
  const known = await readBrowser(request, cookie)
  if (known !== undefined) return { digest: known, headers: [] }
  const secret = randomSecret(random)
  return { digest: await digestSecret(secret), headers: [setCookie(cookie, secret, cookieLifetime)] }
}

/**
 * A year, in seconds. A browser that restores several tabs starts several sign-ins at once; if it had lost the cookie,
 * each answer would give it another one, and only the last tab could finish.
 */
const cookieLifetime = 31_536_000

/**
 * Refuses a form that another site posted (cross-site request forgery). Browsers say where a POST comes from in
 * `Sec-Fetch-Site`, older ones in `Origin`; a POST that says neither is refused too. `server.interaction()` calls it;
 * call it yourself in every other endpoint of yours that changes something for whoever is signed in, such as signing
 * out. A GET, which changes nothing, passes.
 * @throws OAuthError access_denied — reason `cross_site_post`; `server.renderError` makes a page of it.
 */
export function requireSameOrigin(request: ServerRequest): void {
  // HEAD is no exception: a page that takes all but GET for its form would take it too, and needs none.
  if (request.method === 'GET') return
  const site = request.headers.get('sec-fetch-site')
  const isSameOrigin =
    site === undefined ? request.headers.get('origin') === request.url.origin : site === 'same-origin'
  // RFC 9700 §4.7: what changes state must come from this server's own page.
  if (!isSameOrigin) {
    throw new OAuthError('access_denied', 'This form was not sent from this site.', { reason: 'cross_site_post' })
  }
}
