import { decodeComponent, isLoopbackHost } from '@mintmark/internal'

/**
 * Whether a URI may be registered as a redirect URI.
 * @param schemes as for `redirectUriProblem`.
 */
export const isRegistrableRedirectUri = (uri: string, schemes: AcceptedSchemes = []): boolean =>
  brokenRedirectRule(uri, schemes) === undefined

/** The schemes of apps that are accepted although they have no dot. */
export type AcceptedSchemes = readonly string[] | 'any'

/**
 * Returns the sentence about the first rule that a redirect URI breaks; `undefined` if it may be registered.
 * @param schemes never includes a scheme that browsers or operating systems handle themselves.
 */
export function redirectUriProblem(uri: string, schemes: AcceptedSchemes = []): string | undefined {
  const rule = brokenRedirectRule(uri, schemes)
  return rule === undefined ? undefined : redirectRules[rule]
}

/**
 * Returns the host of a web address, or the scheme of an app's address; `undefined` if it is not absolute. Nobody owns
 * the host of an app's address: any app can claim the scheme with any host.
 */
export function hostOrScheme(uri: string): string | undefined {
  if (!URL.canParse(uri)) return undefined
  const { protocol, hostname } = new URL(uri)
  return protocol === 'https:' || protocol === 'http:' ? hostname : protocol.slice(0, -1)
}

/** Whether the name is a scheme that browsers or operating systems handle themselves, so that it can be no app's. */
export const isReservedScheme = (scheme: string): boolean => reservedSchemes.has(scheme)

const reservedSchemes: ReadonlySet<string> = new Set(
  (
    'about blob chrome content data file filesystem ftp http https intent jar javascript livescript mailto mocha ' +
    'ms-appx resource sms ssh tel vbscript view-source ws wss'
  ).split(' '),
)

type RedirectRule = keyof typeof redirectRules

/**
 * The rules for redirect URIs: absolute, without fragment, wildcard, credentials or control characters; https, http on
 * loopback only, or a private-use scheme of a native app (RFC 6749 §3.1.2, RFC 8252 §7, RFC 9700 §2.1). The URI must be
 * in normalized form, so that every parser sees the same host and path.
 */
const redirectRules = {
  // RFC 6749 §3.1.2.
  length: 'A redirect URI must have 1 to 2,000 characters.',
  fragment: 'A redirect URI must not have a fragment.',
  wildcard: 'A redirect URI must not have a wildcard: register each address.',
  characters:
    'A redirect URI must consist of visible ASCII characters, without backslash, quotes, angle brackets, braces, bar, circumflex and grave accent.',
  escapes: 'A redirect URI must not contain invalid escapes, or escaped control characters, "#", "*" or backslashes.',
  absolute: 'A redirect URI must be absolute, with a scheme and a host.',
  credentials: 'A redirect URI must not contain a user name or a password.',
  query: 'The query of a redirect URI must consist of parameters with names, separated by "&".',
  response:
    'The query of a redirect URI must not contain a parameter of the response, such as "code", "state", "iss" or "error".',
  // RFC 8252 §7.3.
  plain: 'A redirect URI with http must be on loopback: 127.0.0.1, [::1] or localhost. Other hosts must use https.',
  // RFC 8252 §7.1.
  scheme:
    'A redirect URI must use https, http on loopback, or a private-use scheme with a dot, such as com.example.app. An administrator can set allow_schemes_without_dot for the client of an app that has no other scheme.',
  // RFC 3986 §6.2.2.
  normal: 'A redirect URI must be in normalized form: lower-case scheme and host, no default port, no dot segments.',
  host: 'The host of a redirect URI must not start or end with a dot, or contain two in a row.',
} as const

function brokenRedirectRule(uri: string, schemes: AcceptedSchemes): RedirectRule | undefined {
  if (uri.length === 0 || uri.length > 2000) return 'length'
  if (uri.includes('#')) return 'fragment'
  if (uri.includes('*')) return 'wildcard'
  // Parsers disagree about the other characters.
  if (!/^[\x21-\x7E]+$/.test(uri) || /[\\"'<>`{}|^]/.test(uri)) return 'characters'
  // An intermediary may decode these escapes.
  if (/%(?:[01][0-9a-f]|7f|23|2a|5c|(?![0-9a-f]{2}))/i.test(uri)) return 'escapes'
  if (!URL.canParse(uri)) return 'absolute'

  const url = new URL(uri)
  if (url.username !== '' || url.password !== '') return 'credentials'
  const [, query] = /\?(.*)$/.exec(uri) ?? []
  // RFC 6749 §3.1.2: the query must be a form, because the response parameters are appended to it. Some parsers also
  // split at semicolons.
  const pairs = query?.split(/[&;]/) ?? []
  if (!pairs.every(isParameter)) return 'query'
  if (pairs.some(isResponseParameter)) return 'response'
  if (url.protocol === 'https:' || url.protocol === 'http:') return brokenWebRule(uri, url)
  return isPrivateUseScheme(url.protocol) || isAcceptedScheme(url.protocol.slice(0, -1), schemes) ? undefined : 'scheme'
}

function brokenWebRule(uri: string, url: URL): RedirectRule | undefined {
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) return 'plain'
  // `https://app.test` and `https://app.test/` are the same location but different strings; the client registers the
  // string that it sends.
  const isNormal = url.href === uri || (url.pathname === '/' && url.href === uri.replace(/^(https?:\/\/[^/?]+)/, '$1/'))
  if (!isNormal) return 'normal'
  // `app.test.` and `app.test` are the same host in DNS, but different origins in a browser.
  return url.hostname.split('.').includes('') ? 'host' : undefined
}

/** RFC 8252 §7.1: a private-use scheme is a reversed domain name, so it contains a dot; `javascript:` does not. */
const isPrivateUseScheme = (protocol: string): boolean => /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(protocol)

const isAcceptedScheme = (scheme: string, schemes: AcceptedSchemes): boolean =>
  (schemes === 'any' || schemes.includes(scheme)) && !isReservedScheme(scheme)

const isParameter = (pair: string): boolean => !/^(?:=|$)/.test(pair) && decodeComponent(pair) !== undefined

/**
 * Whether a parameter of a redirect URI has the name of a response parameter. The client could read a registered `code`
 * instead of the server's.
 */
function isResponseParameter(pair: string): boolean {
  // Some parsers treat `Code` and ` code` as `code`, and `code[]` as a list named `code`.
  const name = decodeComponent(pair.split('=', 1)[0] ?? '')
  return responseParameters.has(name?.split('[', 1)[0]?.trim().toLowerCase() ?? '')
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
