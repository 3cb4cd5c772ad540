import { createHmac, timingSafeEqual } from 'node:crypto'
import { defineCookie, type Header, type ServerRequest } from '@mintmark/core/http'

/**
 * Recognizes browsers in which a user has signed in before. Their sign-in attempts are counted separately from the attempts
 * that attackers make in other browsers.
 */
export interface KnownBrowsers {
  /** Whether the user has signed in before with the browser that sent the request. */
  isKnown(request: ServerRequest, subject: string): boolean
  /** Returns the header that sets the cookie of a known browser. */
  remember(subject: string): Header
}

/** A known browser has a cookie with an HMAC of the user's subject. The cookie does not sign anybody in. */
export function knownBrowsers({ issuer, key }: { readonly issuer: string; readonly key: string }): KnownBrowsers {
  const cookie = defineCookie(issuer, 'known-browser')
  const markOf = (subject: string): string =>
    createHmac('sha256', key).update(`known-browser ${subject}`).digest('base64url')

  return {
    isKnown(request, subject) {
      const presented = Buffer.from(cookie.read(request) ?? '')
      const mark = Buffer.from(markOf(subject))
      return presented.length === mark.length && timingSafeEqual(presented, mark)
    },
    remember: (subject) => cookie.set(markOf(subject), year),
  }
}

/** In seconds. */
const year = 31_536_000
