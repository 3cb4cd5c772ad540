import { createHmac, timingSafeEqual } from 'node:crypto'
import { defineCookie, readCookie, setCookie, type Header, type ServerRequest } from '@mintmark/core/http'

/**
 * Remembers the browsers in which a user has signed in. Wrong passwords that attackers try in other browsers do not count
 * there.
 */
export interface KnownBrowsers {
  /** Whether the user with this name has signed in before in the browser that sent the request. */
  isKnown(request: ServerRequest, username: string): boolean
  /** Returns the header that sets the cookie of a known browser. */
  remember(username: string): Header
}

/** Known browsers have a cookie with an HMAC of the user name. The cookie does not sign anybody in. */
export function knownBrowsers({ issuer, key }: { readonly issuer: string; readonly key: string }): KnownBrowsers {
  const cookie = defineCookie(issuer, 'known-browser')
  const markOf = (username: string): string =>
    createHmac('sha256', key).update(`known-browser ${username}`).digest('base64url')

  return {
    isKnown(request, username) {
      const presented = Buffer.from(readCookie(request, cookie) ?? '')
      const mark = Buffer.from(markOf(username))
      return presented.length === mark.length && timingSafeEqual(presented, mark)
    },
    remember: (username) => setCookie(cookie, markOf(username), year),
  }
}

/** In seconds. */
const year = 31_536_000
