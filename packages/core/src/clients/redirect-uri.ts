import { decodeComponent } from '@mintmark/internal'

/**
 * Whether a URI may be registered as a redirect URI: absolute, without fragment, wildcard, credentials or control
 * characters; https, http on loopback only, or a private-use scheme of a native app (RFC 6749 §3.1.2, RFC 8252 §7, RFC
 * 9700 §2.1). It must be in normalised form, so that every parser sees the same host and path.
 */
export function isRegistrableRedirectUri(uri: string): boolean {
  // Refuses everything outside visible ASCII, and characters that parsers disagree about: backslash, wildcard, quotes,
  // angle brackets, fragment.
  if (!/^[\x21-\x7E]{1,2000}$/.test(uri) || /[\\*"'<>`{}|^#]/.test(uri)) return false
  // Refuses the same characters as escapes, escaped control characters, and invalid escapes: an intermediary may decode
  // them.
  if (/%(?:[01][0-9a-f]|7f|23|2a|5c|(?![0-9a-f]{2}))/i.test(uri)) return false
  if (!URL.canParse(uri)) return false

  const url = new URL(uri)
  if (url.username !== '' || url.password !== '' || !hasRoomForAnswer(uri)) return false
  if (url.protocol === 'https:' || url.protocol === 'http:') return isWebRedirect(uri, url)
  return isPrivateUseScheme(url.protocol)
}

function isWebRedirect(uri: string, url: URL): boolean {
  // `https://app.test` and `https://app.test/` are the same location but different strings; the client registers the
  // one that it sends.
  const isNormal = url.href === uri || (url.pathname === '/' && url.href === uri.replace(/^(https?:\/\/[^/?]+)/, '$1/'))
  const isSafe = url.protocol === 'https:' || isLoopbackHost(url.hostname)
  // `app.test.` and `app.test` are the same host in DNS, but different origins in a browser.
  const isWhole = !url.hostname.split('.').includes('')
  return isNormal && isSafe && isWhole
}

/** The host names of the local machine. */
export const isLoopbackHost = (hostname: string): boolean =>
  hostname === '127.0.0.1' || hostname === '[::1]' || hostname === 'localhost'

/** RFC 8252 §7.1: a private-use scheme is a reversed domain name, so it contains a dot; `javascript:` does not. */
const isPrivateUseScheme = (protocol: string): boolean => /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(protocol)

/** RFC 6749 §3.1.2: a query must be a form, because the response parameters are appended to it. */
function hasRoomForAnswer(uri: string): boolean {
  const start = uri.indexOf('?')
  // Some parsers also split at semicolons.
  return (
    start === -1 ||
    uri
      .slice(start + 1)
      .split(/[&;]/)
      .every(isOwnParameter)
  )
}

/** A registered `code` or `state` could be read instead of the server's own. */
function isOwnParameter(pair: string): boolean {
  const [name = ''] = pair.split('=', 1)
  // Some parsers treat `Code` and ` code` as `code`, and `code[]` as a list of that name.
  const readAs = decodeComponent(name)?.split('[', 1)[0]?.trim().toLowerCase() ?? ''
  return name !== '' && decodeComponent(pair) !== undefined && !responseParameters.has(readAs)
}

const responseParameters: ReadonlySet<string> = new Set([
  'code',
  'state',
  'iss',
  'error',
  'error_description',
  'error_uri',
  'id_token',
  'access_token',
  'response',
])
