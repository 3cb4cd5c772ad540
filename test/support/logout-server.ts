import type { AuthorizationServerOptions } from '@mintmark/core'
import { createPages } from '@mintmark/pages'
import { english, german } from '@mintmark/pages/languages'
import { clientId } from '@mintmark/storage-interface'

import { changeClient } from './fixture-clients.ts'
import { encode, obtainTokens, type Change } from './flow.ts'
import type { Reply } from './send.ts'
import { startServer, type ServerUnderTest } from './server-under-test.ts'

/**
 * The server of the attack tests with a host that can end sessions. The cookie `host=<user>.<seconds>.<name>` identifies
 * a session.
 */
export interface LogoutServer extends ServerUnderTest {
  /** The names of the sessions that the host has ended. */
  readonly endedSessions: readonly string[]
}

/** The `post_logout_redirect_uri` of A. */
export const returnUriOfA = 'https://app.test/bye?tab=1'

export async function startLogoutServer(
  logout: Partial<NonNullable<AuthorizationServerOptions['logout']>> = {},
  options: Parameters<typeof startServer>[0] = {},
): Promise<LogoutServer> {
  const endedSessions: string[] = []
  const sessionOf = (cookie: string | undefined) => {
    const [, user, time, name = 'unnamed'] = /(?:^|; )host=([^.;]+)\.(\d+)(?:\.([\w-]+))?/.exec(cookie ?? '') ?? []
    return user === undefined || endedSessions.includes(name) ? undefined : { user, time: Number(time), name }
  }
  const site = await startServer({
    signedIn: async (request) => {
      const session = sessionOf(request.headers.get('cookie'))
      return session && { subject: session.user, authTime: session.time, amr: ['pwd'], sessionId: session.name }
    },
    logout: {
      endSession: async (request) => {
        const session = sessionOf(request.headers.get('cookie'))
        if (session !== undefined) endedSessions.push(session.name)
        return [['Set-Cookie', 'host=; Path=/; Max-Age=0']]
      },
      renderPage: createPages({ languages: [english, german] }).logoutPage,
      ...logout,
    },
    ...options,
  })
  await changeClient(site.storage, clientId('A'), { postLogoutRedirectUris: [returnUriOfA] })
  await changeClient(site.storage, clientId('P'), { postLogoutRedirectUris: ['https://spa.test/bye'] })
  await changeClient(site.storage, clientId('N'), { postLogoutRedirectUris: ['http://127.0.0.1/bye'] })
  return { ...site, endedSessions }
}

/** Returns the cookie of a user's session with this name. */
export const sessionCookie = (site: ServerUnderTest, name: string, user = 'U1'): string =>
  `host=${user}.${site.clock.now() - 5}.${name}`

/** Obtains an ID token for A that is issued in this session. */
export async function obtainIdTokenHint(site: ServerUnderTest, name: string, change: Change = {}): Promise<string> {
  const tokens = await obtainTokens(site, change, { cookie: sessionCookie(site, name) })
  return tokens['id_token'] ?? ''
}

/** Sends GET /session/end from the browser of a session; without a name, from a browser that is signed out. */
export const logout = (
  site: ServerUnderTest,
  name: string | undefined,
  request: Change | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> =>
  site.send({
    path: `/session/end?${typeof request === 'string' ? request : encode(request)}`,
    headers: { ...(name !== undefined && { cookie: sessionCookie(site, name) }), ...headers },
  })

/** Posts the form of the page that asks the user to confirm the logout. */
export const confirmLogout = (
  site: ServerUnderTest,
  name: string | undefined,
  form: Change,
  headers: Readonly<Record<string, string>> = { origin: site.issuer },
): Promise<Reply> =>
  site.send({
    method: 'POST',
    path: '/session/end/confirm',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(name !== undefined && { cookie: sessionCookie(site, name) }),
      ...headers,
    },
    body: encode({ decision: 'sign_out', ...form }),
  })
