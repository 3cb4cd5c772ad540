import { nearestOf } from '@mintmark/internal'
import { clientId, type Brand, type ClientRecord, type OAuthStorage } from '@mintmark/storage-interface'

import { isVisibleAscii } from './authenticate.ts'
import type { Parameters } from '../parameters.ts'
import { refuse, withoutSecrets } from '../refusals.ts'

/**
 * Returns the `client_id` of an authorization request.
 * @throws OAuthError invalid_request — reason `client_id_missing` | `client_id_repeated`.
 */
export function requireClientId(parameters: Parameters): string {
  const id = parameters.get('client_id')
  // RFC 6749 §4.1.1: client_id is required. §3.1: it must not repeat.
  if (id === undefined) throw refuse('client_id_missing')
  if (parameters.isRepeated('client_id')) throw refuse('client_id_repeated')
  return id
}

/**
 * Finds the client that a browser's request names. This proves nothing yet: anybody can create such a link.
 * @throws OAuthError invalid_request — reason `client_unknown` | `client_disabled`; shown on a local page, since no
 *   redirect target is proven (RFC 6749 §4.1.2.1).
 */
export async function identifyClient(id: string, storage: OAuthStorage): Promise<ClientRecord> {
  // RFC 6749 Appendix A.1: a client_id is visible ASCII; no other string can name a client.
  const client = isVisibleAscii(id) ? await storage.clients.find(clientId(id)) : undefined
  // RFC 6749 §4.1.2.1: an unknown client never causes a redirect. A disabled one gets the same answer.
  if (client === undefined) throw refuse('client_unknown_page')
  if (client.disabledAt !== undefined) throw refuse('client_disabled_page')
  return client
}

/**
 * A redirect URI that matches a registered one. Only `verifyRedirect` creates it, and everything that redirects
 * requires it.
 */
export type VerifiedRedirect = Brand<string, 'VerifiedRedirect'>

/**
 * Compares the requested redirect URI with the registered ones.
 * @returns evidence that the browser may be redirected there.
 * @throws OAuthError invalid_request — reason `redirect_uri_missing` | `redirect_uri_repeated` |
 *   `redirect_uri_mismatch`; shown on a local page, because a redirect to an unproven address would help an attacker
 *   (RFC 6749 §4.1.2.1).
 */
export function verifyRedirect(parameters: Parameters, client: ClientRecord): VerifiedRedirect {
  const requested = parameters.get('redirect_uri')
  // OIDC Core §3.1.2.1: redirect_uri is required.
  if (requested === undefined) throw refuse('redirect_uri_missing')
  // RFC 6749 §3.1: it must not repeat; an attacker may have added the second one.
  if (parameters.isRepeated('redirect_uri')) throw refuse('redirect_uri_repeated')
  // RFC 6749 §3.1.2.4: never redirect to an unregistered URI.
  if (!isRegistered(requested, client.redirectUris)) {
    throw refuse('redirect_uri_mismatch', {
      clientId: client.clientId,
      requestedRedirectUri: withoutSecrets(requested),
      nearestRedirectUri: nearestOf(requested, client.redirectUris),
    })
  }
  return requested as VerifiedRedirect
}

/**
 * Whether a redirect URI equals a registered one, character by character (RFC 9700 §2.1). The port of a loopback URI
 * may differ, because a native app listens on any free port (RFC 8252 §7.3).
 */
export const isRegistered = (requested: string, registered: readonly string[]): boolean =>
  registered.some((uri) => uri === requested || isSameLoopback(uri, requested))

function isSameLoopback(registered: string, requested: string): boolean {
  const expected = splitLoopback(registered)
  const actual = splitLoopback(requested)
  return (
    expected !== undefined && actual !== undefined && expected.host === actual.host && expected.rest === actual.rest
  )
}

/**
 * Splits a loopback URI without a URL parser, because parsers read `127.1` or `\` differently from browsers and apps.
 */
function splitLoopback(uri: string): { readonly host: string; readonly rest: string } | undefined {
  const match = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::([1-9][0-9]{0,4}))?(|[/?].*)$/.exec(uri)
  const [, host, port, rest] = match ?? []
  if (host === undefined || rest === undefined) return undefined
  return port !== undefined && Number(port) > 65_535 ? undefined : { host, rest }
}

/**
 * Whether a page of the origin may be the client: it is the origin of a redirect URI. On loopback the port may differ, as
 * it may in the redirect URI (RFC 8252 §7.3). Private-use schemes of native apps have no origin.
 */
export const isOriginOf = (origin: string, { redirectUris }: Pick<ClientRecord, 'redirectUris'>): boolean =>
  redirectUris.some(
    (uri) => /^https?:/.test(uri) && (new URL(uri).origin === origin || isSameLoopbackOrigin(uri, origin)),
  )

function isSameLoopbackOrigin(registered: string, origin: string): boolean {
  const actual = splitLoopback(origin)
  return actual?.rest === '' && splitLoopback(registered)?.host === actual.host
}
