import type { Brand, ClientRecord } from '@mintmark/storage-interface'

import { OAuthError } from '../error/oauth-error.ts'
import type { Parameters } from '../parameters/parameters.ts'

/** A redirect URI that was compared with the client's registered ones. Only `verifyRedirect` makes it; without it nothing redirects. */
export type VerifiedRedirect = Brand<string, 'VerifiedRedirect'>

/**
 * Compares the requested redirect URI with the registered ones, character by character (RFC 9700 §2.1). A registered
 * loopback URI may be requested with another port, because a native app takes the port it gets (RFC 8252 §7.3).
 * @returns evidence that the browser may be sent there.
 * @throws OAuthError invalid_request — reason `redirect_uri_missing` | `redirect_uri_repeated` | `redirect_uri_mismatch`;
 *   for a local page: sending the browser to an unproven address is what an attacker wants (RFC 6749 §4.1.2.1).
 */
export function verifyRedirect(parameters: Parameters, client: ClientRecord): VerifiedRedirect {
  const requested = parameters.get('redirect_uri')
  // OIDC Core §3.1.2.1: redirect_uri is required; a default would have to be guessed at the token endpoint again.
  if (requested === undefined) throw localError('The redirect_uri parameter is missing.', 'redirect_uri_missing')
  // RFC 6749 §3.1: of two addresses one is an attacker's.
  if (parameters.isRepeated('redirect_uri')) {
    throw localError('The redirect_uri parameter is repeated.', 'redirect_uri_repeated')
  }
  const isRegistered = client.redirectUris.some((uri) => uri === requested || isSameLoopback(uri, requested))
  // RFC 6749 §3.1.2.4: an unregistered redirect URI is not redirected to.
  if (!isRegistered)
    throw localError('The application asked to return to an address it has not registered.', 'redirect_uri_mismatch')
  return requested as VerifiedRedirect
}

function isSameLoopback(registered: string, requested: string): boolean {
  const expected = splitLoopback(registered)
  const actual = splitLoopback(requested)
  return (
    expected !== undefined && actual !== undefined && expected.host === actual.host && expected.rest === actual.rest
  )
}

/** Splits without a URL parser: parsers read `127.1` or `\` as something else than the browser or the app does. */
function splitLoopback(uri: string): { readonly host: string; readonly rest: string } | undefined {
  const match = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::([1-9][0-9]{0,4}))?(|[/?].*)$/.exec(uri)
  const [, host, port, rest] = match ?? []
  if (host === undefined || rest === undefined) return undefined
  return port !== undefined && Number(port) > 65_535 ? undefined : { host, rest }
}

const localError = (
  description: string,
  reason: 'redirect_uri_missing' | 'redirect_uri_repeated' | 'redirect_uri_mismatch',
): OAuthError => new OAuthError('invalid_request', description, { reason })
