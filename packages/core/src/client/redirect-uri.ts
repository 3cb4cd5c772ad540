/**
 * Whether a URI may be registered as a redirect URI: absolute, without fragment, wildcard, credentials or control
 * characters; https, http on loopback only, or a private-use scheme of a native app (RFC 6749 §3.1.2, RFC 8252 §7, RFC 9700 §2.1).
 * It must be written in the form that URL parsing gives it, so that every reader sees the same host and path.
 */
export function isRegistrableRedirectUri(uri: string): boolean {
  // Anything outside visible ASCII, and what parsers disagree about: backslash, wildcard, quotes, angle brackets, fragment.
  if (!/^[\x21-\x7E]{1,2000}$/.test(uri) || /[\\*"'<>`{}|^#]/.test(uri)) return false
  // The same as escapes, and escaped control characters: some reader on the way decodes them.
  if (/%(?:[01][0-9a-f]|7f|23|2a|5c)/i.test(uri)) return false
  if (!URL.canParse(uri)) return false

  const url = new URL(uri)
  if (url.username !== '' || url.password !== '' || hasReservedQuery(url)) return false
  if (url.protocol === 'https:' || url.protocol === 'http:') return isWebRedirect(uri, url)
  return isPrivateUseScheme(url.protocol)
}

function isWebRedirect(uri: string, url: URL): boolean {
  // `https://app.test` and `https://app.test/` are one place and two strings; a client must register the one that it sends.
  const isNormal = url.href === uri || (url.pathname === '/' && url.href === uri.replace(/^(https?:\/\/[^/?]+)/, '$1/'))
  const isSafe = url.protocol === 'https:' || isLoopbackHost(url.hostname)
  return isNormal && isSafe && url.hostname !== ''
}

/** The names by which a browser reaches its own machine. */
export const isLoopbackHost = (hostname: string): boolean =>
  hostname === '127.0.0.1' || hostname === '[::1]' || hostname === 'localhost'

/** RFC 8252 §7.1: a private-use scheme is a domain name in reverse, so it has a dot; `javascript:` and its kin have none. */
const isPrivateUseScheme = (protocol: string): boolean => /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(protocol)

/** A registered `code` or `state` in the query would stand beside the server's own and be read instead of it. */
const hasReservedQuery = (url: URL): boolean => responseParameters.some((name) => url.searchParams.has(name))

const responseParameters = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri', 'id_token', 'access_token', 'response']
