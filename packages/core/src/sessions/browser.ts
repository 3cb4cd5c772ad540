import {
  cacheLatest,
  type Cookie,
  defineCookie,
  digestSecret,
  encodeBase64url,
  equalInConstantTime,
  type Header,
  hmacSha256,
  type Random,
  randomSecret,
  type RequestHead,
  type ServerRequest,
} from '@mintmark/internal'
import type { SecretDigest } from '@mintmark/storage-interface/stores'

import type { KeyRing } from '../keys/ring.ts'
import { refuse } from '../refusals.ts'

/** Defines the cookie that identifies a browser. */
export const defineBrowserCookie = (issuer: string): Cookie => defineCookie(issuer, 'mintmark-browser')

/** Tells browsers apart by a cookie that this server has set. */
export interface Browsers {
  /** Returns the browser of a request; `undefined` unless it has a cookie that one of the issuer's servers has set. */
  read(request: RequestHead): Promise<SecretDigest | undefined>
  /** Uses the browser's cookie, or sets a new one. One cookie serves any number of tabs. */
  bind(request: ServerRequest): Promise<BrowserBinding>
}

/** The browser that an interaction is bound to by a cookie. */
export interface BrowserBinding {
  readonly digest: SecretDigest
  /** Whether the browser had no cookie. */
  readonly isNew: boolean
  /** Sets the cookie in a browser without one. */
  readonly headers: readonly Header[]
}

/**
 * A cookie is a secret and its MAC. Without the MAC, a stranger could make up browsers, and the limits of browsers would
 * limit nobody. Cookies whose MAC was made with an earlier sealing key stay valid while the key ring still has that key.
 */
export function createBrowsers({
  issuer,
  keys,
  random,
}: {
  readonly issuer: string
  readonly keys: Pick<KeyRing, 'deriveSecrets'>
  readonly random: Random
}): Browsers {
  const cookie = defineBrowserCookie(issuer)
  const macKeys = cacheLatest(() => keys.deriveSecrets('browser cookies'))
  const macOf = async (secret: string, key: Uint8Array): Promise<string> =>
    encodeBase64url(await hmacSha256(key, new TextEncoder().encode(`${issuer} ${secret}`)))

  async function read(request: RequestHead): Promise<SecretDigest | undefined> {
    const [, secret, mac] = /^([A-Za-z0-9_-]{43})([A-Za-z0-9_-]{43})$/.exec(cookie.read(request) ?? '') ?? []
    if (secret === undefined || mac === undefined) return undefined
    const expected = await Promise.all((await macKeys()).map((key) => macOf(secret, key)))
    return expected.some((each) => equalInConstantTime(mac, each)) ? digestSecret(secret) : undefined
  }

  return {
    read,
    async bind(request) {
      const known = await read(request)
      if (known !== undefined) return { digest: known, isNew: false, headers: [] }
      const [key] = await macKeys()
      if (key === undefined) throw new TypeError('The key ring must derive at least one secret.')
      const secret = randomSecret(random)
      const value = secret + (await macOf(secret, key))
      return { digest: await digestSecret(secret), isNew: true, headers: [cookie.set(value, cookieLifetime)] }
    },
  }
}

/**
 * A year, in seconds. A browser that restores several tabs starts several interactions at once; without an existing
 * cookie each response would set another one, and only the last tab could complete its interaction.
 */
const cookieLifetime = 31_536_000

/**
 * Refuses a request unless a browser window sent it by navigating or by submitting a form. Scripts, prefetching
 * browsers and frameworks that render the next page in advance send other requests; the response, with a code in it,
 * would not reach the window. Browsers report this in `Sec-Fetch-Mode`, `Sec-Fetch-Dest` and `Sec-Purpose` (Fetch
 * Metadata). Older browsers, and servers that follow redirects, do not send these headers, but frameworks send headers
 * of their own. A request with none of them passes.
 * @throws OAuthError invalid_request — reason `not_a_navigation`.
 */
export function requireNavigation({ headers }: RequestHead): void {
  const mode = headers.get('sec-fetch-mode') ?? 'navigate'
  const destination = headers.get('sec-fetch-dest') ?? 'document'
  const isInAdvance = purposeHeaders.some((name) => /prefetch|prerender|preview/i.test(headers.get(name) ?? ''))
  const isFrameworkRequest = frameworkHeaders.some((name) => headers.has(name)) || isScriptRequest(headers)
  const isNavigation = mode === 'navigate' && navigationDestinations.has(destination)
  // RFC 6749 §3.1: the endpoint answers the user's browser.
  if (!isNavigation || isInAdvance || isFrameworkRequest) throw refuse('not_a_navigation')
}

/** The destinations of navigations (Fetch Metadata §2.1). */
const navigationDestinations: ReadonlySet<string> = new Set([
  'document',
  'iframe',
  'frame',
  'fencedframe',
  'embed',
  'object',
])

/** Headers that say that a page is fetched in advance: of the standard, of older browsers, and of scripts. */
const purposeHeaders = ['sec-purpose', 'x-sec-purpose', 'purpose', 'x-purpose', 'x-moz']

/**
 * Headers that frameworks send when they fetch a page: Next.js, in the browser or on the server, htmx, Turbo, Inertia,
 * pjax and Unpoly.
 */
const frameworkHeaders = [
  'rsc',
  'next-router-prefetch',
  'next-router-segment-prefetch',
  'next-router-state-tree',
  'next-action',
  'next-url',
  'x-nextjs-data',
  'x-middleware-prefetch',
  'hx-request',
  'turbo-frame',
  'x-turbo-request-id',
  'x-inertia',
  'x-pjax',
  'x-up-version',
]

/**
 * Libraries send `X-Requested-With: XMLHttpRequest`, or a name of their own. A web view of Android sends this header
 * too, with each navigation: the name of its application, which contains a dot.
 */
function isScriptRequest(headers: RequestHead['headers']): boolean {
  const sender = headers.get('x-requested-with') ?? ''
  return sender !== '' && !sender.includes('.')
}

/**
 * Refuses a form that another site posted (cross-site request forgery). Browsers report the origin of a POST in
 * `Sec-Fetch-Site`, older browsers in `Origin`; a POST with neither is refused too. `server.interaction()` calls this
 * function. Call it in each of your own endpoints that changes something for the signed-in user, such as signing out.
 * GET requests pass.
 * @throws OAuthError access_denied — reason `cross_site_post`; `server.renderError` renders it as a page.
 */
export function requireSameOrigin(request: RequestHead): void {
  // HEAD is refused as well: a host's page might treat everything except GET as a submitted form.
  if (request.method === 'GET') return
  const site = request.headers.get('sec-fetch-site')
  const isSameOrigin =
    site === undefined ? request.headers.get('origin') === request.url.origin : site === 'same-origin'
  // RFC 9700 §4.7: state changes must come from this server's own pages.
  if (!isSameOrigin) throw refuse('cross_site_post')
}
