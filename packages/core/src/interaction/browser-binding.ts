import type { SecretDigest } from '@mintmark/storage-interface'

import {
  defineCookie,
  readCookie,
  setCookie,
  type CookieDefinition,
  type Header,
  type ServerRequest,
} from '../http/index.ts'
import { digestSecret } from '../runtime/digest.ts'
import { randomSecret, type Random } from '../runtime/random.ts'

/** The cookie that a server knows its browsers by. */
export const defineBrowserCookie = (issuer: string): CookieDefinition => defineCookie(issuer, 'mintmark-browser')

/** The browser that an interaction belongs to, known by a cookie that it alone has. */
export interface BrowserBinding {
  readonly digest: SecretDigest
  /** Sets the cookie in a browser that had none. */
  readonly headers: readonly Header[]
}

/** Reads the browser's cookie; `undefined` when it has none, or one that this server did not make. */
export async function readBrowser(request: ServerRequest, cookie: CookieDefinition): Promise<SecretDigest | undefined> {
  const secret = readCookie(request, cookie)
  return secret !== undefined && /^[A-Za-z0-9_-]{43}$/.test(secret) ? digestSecret(secret) : undefined
}

/** Binds to the browser's cookie, or gives it one. One cookie serves any number of tabs. */
export async function bindBrowser(
  request: ServerRequest,
  cookie: CookieDefinition,
  random: Random,
): Promise<BrowserBinding> {
  const known = await readBrowser(request, cookie)
  if (known !== undefined) return { digest: known, headers: [] }
  const secret = randomSecret(random)
  return { digest: await digestSecret(secret), headers: [setCookie(cookie, secret, cookieLifetime)] }
}

/**
 * A year, in seconds. A browser that restores several tabs starts several sign-ins at once; if it had lost the cookie,
 * each answer would give it another one, and only the last tab could finish.
 */
const cookieLifetime = 31_536_000
