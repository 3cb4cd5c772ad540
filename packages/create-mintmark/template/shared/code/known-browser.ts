import { createHmac, timingSafeEqual } from 'node:crypto'
import { defineCookie, type Header, type ServerRequest } from '@mintmark/core/http'

/**
 * Recognizes a browser in which a user has signed in. Its sign-in attempts are counted separately from the attempts
 * that attackers make in other browsers.
 */
export interface KnownBrowsers {
  /** Whether this user is one of the last five who signed in with the browser that sent the request. */
  isKnown(request: ServerRequest, subject: string): boolean
  /** Returns the header that adds the user to the cookie of the browser that sent the request. */
  remember(request: ServerRequest, subject: string): Header
}

/** Stores HMACs of the users' subjects in a cookie of the browser. The cookie does not sign anybody in. */
export function knownBrowsers({ issuer, key }: { readonly issuer: string; readonly key: string }): KnownBrowsers {
  const cookie = defineCookie(issuer, 'known-browser')
  const macOf = (subject: string): string =>
    createHmac('sha256', key).update(`known-browser ${subject}`).digest('base64url')
  const macsIn = (request: ServerRequest): readonly string[] =>
    (cookie.read(request) ?? '').split('.', maxUsers).filter((mac) => /^[\w-]{43}$/.test(mac))

  return {
    isKnown(request, subject) {
      const expected = Buffer.from(macOf(subject))
      return macsIn(request).some((mac) => timingSafeEqual(Buffer.from(mac), expected))
    },
    remember(request, subject) {
      const mac = macOf(subject)
      const others = macsIn(request).filter((other) => other !== mac)
      return cookie.set([mac, ...others].slice(0, maxUsers).join('.'), secondsPerYear)
    },
  }
}

const maxUsers = 5
const secondsPerYear = 31_536_000
