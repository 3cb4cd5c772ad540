import { createHmac, timingSafeEqual } from 'node:crypto'
import { defineCookie, type Header, type ServerRequest } from '@mintmark/core/http'

/**
 * Recognizes the browser in which a user was the last to sign in. Its sign-in attempts are counted separately from the
 * attempts that attackers make in other browsers.
 */
export interface KnownBrowsers {
  /** Whether this user was the last to sign in with the browser that sent the request. */
  isKnown(request: ServerRequest, subject: string): boolean
  /** Returns the header that sets the cookie of a known browser. */
  remember(subject: string): Header
}

/** Stores an HMAC of the user's subject in a cookie of the browser. The cookie does not sign anybody in. */
export function knownBrowsers({ issuer, key }: { readonly issuer: string; readonly key: string }): KnownBrowsers {
  const cookie = defineCookie(issuer, 'known-browser')
  const macOf = (subject: string): string =>
    createHmac('sha256', key).update(`known-browser ${subject}`).digest('base64url')

  return {
    isKnown(request, subject) {
      const presented = Buffer.from(cookie.read(request) ?? '')
      const expected = Buffer.from(macOf(subject))
      return presented.length === expected.length && timingSafeEqual(presented, expected)
    },
    remember: (subject) => cookie.set(macOf(subject), secondsPerYear),
  }
}

const secondsPerYear = 31_536_000
