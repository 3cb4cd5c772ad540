import type { ServerRequest } from '../http/index.ts'
import { OAuthError } from '../error/oauth-error.ts'

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
