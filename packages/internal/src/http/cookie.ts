import type { Header, RequestHead } from './message.ts'

/** A cookie that scripts cannot read and that cross-site requests other than top-level navigation do not carry. */
export interface CookieDefinition {
  readonly name: string
  readonly secure: boolean
}

/**
 * Names a cookie for an issuer. Over https it takes the `__Host-` prefix: browsers then accept it only from this very
 * host, over TLS, for all paths (RFC 6265bis §4.1.3.2). Over plain http, which is for development on loopback, browsers
 * would refuse that prefix. Issuers that share a host must not share cookies: the path becomes a part of the name.
 */
export function defineCookie(issuer: string, label: string): CookieDefinition {
  const { protocol, pathname } = new URL(issuer)
  const path = pathname === '/' ? '' : pathname.replaceAll(/[^A-Za-z0-9]/g, escapeInName)
  const secure = protocol === 'https:'
  return { name: `${secure ? '__Host-' : ''}${label}${path}`, secure }
}

/** Each character by a spelling of its own: `/a.b`, `/a-b` and `/a/b` are three issuers. */
const escapeInName = (char: string): string => (char === '/' ? '.' : `-${char.charCodeAt(0).toString(16)}`)

/**
 * The cookie's value; `undefined` when it is absent or came more than once, since then one of them was planted.
 *
 * Cookies are separated by `; ` and nothing else (RFC 6265 §4.2.1). Splitting at a comma, or trimming what Unicode calls a
 * space, would find a `__Host-` cookie inside one that a neighbouring host may set, and undo the prefix.
 */
export function readCookie(request: Pick<RequestHead, 'headers'>, cookie: CookieDefinition): string | undefined {
  const header = request.headers.get('cookie')
  if (header === undefined) return undefined

  const values = header
    .split(';')
    .map((pair) => pair.replace(/^[ \t]+/, ''))
    .filter((pair) => pair.startsWith(`${cookie.name}=`))
    .map((pair) => pair.slice(cookie.name.length + 1))
  return values.length === 1 ? values[0] : undefined
}

/** Sets the cookie for this browser session, or for `maxAge` seconds. The value must be made of cookie-octets (base64url is). */
export function setCookie(cookie: CookieDefinition, value: string, maxAge?: number): Header {
  const attributes = ['Path=/', 'HttpOnly', 'SameSite=Lax']
  if (cookie.secure) attributes.push('Secure')
  if (maxAge !== undefined) attributes.push(`Max-Age=${maxAge}`)
  return ['Set-Cookie', [`${cookie.name}=${value}`, ...attributes].join('; ')]
}

/** Removes the cookie from the browser. */
export const clearCookie = (cookie: CookieDefinition): Header => setCookie(cookie, '', 0)
