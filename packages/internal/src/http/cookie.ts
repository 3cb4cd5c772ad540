import type { Header, RequestHead } from './message.ts'

/** A cookie that scripts cannot read, and that browsers send across sites only with top-level navigation. */
export interface Cookie {
  readonly name: string
  /** Returns the value that a browser sent; `undefined` for none or several, because an attacker set one of several. */
  read(request: Pick<RequestHead, 'headers'>): string | undefined
  /**
   * Sets the cookie for this browser session, or for `maxAge` seconds. The value must be cookie-octets, such as
   * base64url.
   */
  set(value: string, maxAge?: number): Header
  /** Removes the cookie from the browser. */
  clear(): Header
}

/**
 * Defines a cookie of an issuer. Over https its name has the `__Host-` prefix: browsers then accept it only from this
 * exact host, over TLS, for all paths (RFC 6265bis §4.1.3.2). Over plain http, which is for development on loopback,
 * browsers would refuse that prefix. Issuers that share a host must not share cookies, so the path is a part of the
 * name.
 */
export function defineCookie(issuer: string, label: string): Cookie {
  const { protocol, pathname } = new URL(issuer)
  const path = pathname === '/' ? '' : pathname.replaceAll(/[^A-Za-z0-9]/g, escapeInName)
  const isSecure = protocol === 'https:'
  const name = `${isSecure ? '__Host-' : ''}${label}${path}`
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  const set: Cookie['set'] = (value, maxAge) => [
    'Set-Cookie',
    `${name}=${value}; ${attributes}${maxAge === undefined ? '' : `; Max-Age=${maxAge}`}`,
  ]
  return { name, read: ({ headers }) => readValue(headers.get('cookie'), name), set, clear: () => set('', 0) }
}

/** Escapes each character differently, because `/a.b`, `/a-b` and `/a/b` are three issuers. */
const escapeInName = (char: string): string => (char === '/' ? '.' : `-${char.charCodeAt(0).toString(16)}`)

/**
 * Reads the value of a cookie. Cookies are separated by `; ` and nothing else (RFC 6265 §4.2.1). Splitting at a comma,
 * or trimming Unicode spaces, would find a `__Host-` cookie inside a cookie that a neighbouring host may set, and
 * defeat the prefix.
 */
function readValue(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined
  const values = header
    .split(';')
    .map((pair) => pair.replace(/^[ \t]+/, ''))
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
  return values.length === 1 ? values[0] : undefined
}
