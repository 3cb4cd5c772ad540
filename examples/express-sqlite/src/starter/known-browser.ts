import { createHmac, timingSafeEqual } from 'node:crypto'
import { defineCookie, readCookie, setCookie, type Header, type ServerRequest } from '@mintmark/core/http'

/** The browsers in which somebody has signed in before: wrong passwords that strangers try elsewhere do not count there. */
export interface KnownBrowsers {
  /** Whether somebody has signed in with this name in the browser that sent the request. */
  isKnown(request: ServerRequest, username: string): boolean
  /** Makes it one: the header that sets its cookie. */
  remember(username: string): Header
}

/** Known by a cookie that signs nobody in; the key makes it, and so nobody else can. */
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
