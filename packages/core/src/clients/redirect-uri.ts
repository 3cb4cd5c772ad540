import { decodeComponent } from '../http/index.ts'

/**
 * Whether a URI may be registered as a redirect URI: absolute, without fragment, wildcard, credentials or control
 * characters; https, http on loopback only, or a private-use scheme of a native app (RFC 6749 §3.1.2, RFC 8252 §7, RFC 9700 §2.1).
 * It must be written in the form that URL parsing gives it, so that every reader sees the same host and path.
 */
export function isRegistrableRedirectUri(uri: string): boolean {
  // Anything outside visible ASCII, and what parsers disagree about: backslash, wildcard, quotes, angle brackets, fragment.
  if (!/^[\x21-\x7E]{1,2000}$/.test(uri) || /[\\*"'<>`{}|^#]/.test(uri)) return false
  // The same as escapes, escaped control characters, and what is no escape: some reader on the way decodes them.
  if (/%(?:[01][0-9a-f]|7f|23|2a|5c|(?![0-9a-f]{2}))/i.test(uri)) return false
  if (!URL.canParse(uri)) return false

  const url = new URL(uri)
  if (url.username !== '' || url.password !== '' || !hasRoomForAnswer(uri)) return false
  if (url.protocol === 'https:' || url.protocol === 'http:') return isWebRedirect(uri, url)
  return isPrivateUseScheme(url.protocol)
}

function isWebRedirect(uri: string, url: URL): boolean {
  // `https://app.test` and `https://app.test/` are one place and two strings; a client must register the one that it sends.
  const isNormal = url.href === uri || (url.pathname === '/' && url.href === uri.replace(/^(https?:\/\/[^/?]+)/, '$1/'))
  const isSafe = url.protocol === 'https:' || isLoopbackHost(url.hostname)
  // `app.test.` and `app.test` are one host to the network, and two to a browser.
  const isWhole = !url.hostname.split('.').includes('')
  return isNormal && isSafe && isWhole
}

/** The names by which a browser reaches its own machine. */
export const isLoopbackHost = (hostname: string): boolean =>
  hostname === '127.0.0.1' || hostname === '[::1]' || hostname === 'localhost'

/** RFC 8252 §7.1: a private-use scheme is a domain name in reverse, so it has a dot; `javascript:` and its kin have none. */
const isPrivateUseScheme = (protocol: string): boolean => /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(protocol)

/** RFC 6749 §3.1.2: the query, where there is one, is a form, and stays in front of the answer's parameters. */
function hasRoomForAnswer(uri: string): boolean {
  const start = uri.indexOf('?')
  // Some readers part at a semicolon too.
  return (
    start === -1 ||
    uri
      .slice(start + 1)
      .split(/[&;]/)
      .every(isOwnParameter)
  )
}

/** A registered `code` or `state` would stand beside the server's own and be read instead of it. */
function isOwnParameter(pair: string): boolean {
  const [name = ''] = pair.split('=', 1)
  // Some readers take `Code` and ` code` for `code`, and `code[]` for a list of that name.
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
