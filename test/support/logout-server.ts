import type { AuthorizationServerOptions } from '@mintmark/core'
import { createPages } from '@mintmark/pages'
import { english, german } from '@mintmark/pages/languages'
import { clientId } from '@mintmark/storage-interface'

import { changeClient } from './fixture-clients.ts'
import { encode, obtainTokens, type Change } from './flow.ts'
import type { Reply } from './reply.ts'
import { startServer, type ServerUnderTest } from './server-under-test.ts'

/** The fixture server with a host whose sessions end: the cookie `host=<user>.<seconds>.<name>` identifies each. */
export interface LogoutServer extends ServerUnderTest {
  /** The names of the sessions that the host has ended. */
  readonly ended: readonly string[]
}

/** Where A and N may return to after a logout. */
export const returnOfA = 'https://app.test/bye?tab=1'

export async function startLogoutServer(
  logout: Partial<NonNullable<AuthorizationServerOptions['logout']>> = {},
  options: Parameters<typeof startServer>[0] = {},
): Promise<LogoutServer> {
  const ended: string[] = []
  const sessionOf = (cookie: string | undefined) => {
    const [, user, time, name = 'unnamed'] = /(?:^|; )host=([^.;]+)\.(\d+)(?:\.([\w-]+))?/.exec(cookie ?? '') ?? []
    return user === undefined || ended.includes(name) ? undefined : { user, time: Number(time), name }
  }
  const under = await startServer({
    signedIn: async (request) => {
      const session = sessionOf(request.headers.get('cookie'))
      return session && { subject: session.user, authTime: session.time, amr: ['pwd'], sessionId: session.name }
    },
    logout: {
      endSession: async (request) => {
        const session = sessionOf(request.headers.get('cookie'))
        if (session !== undefined) ended.push(session.name)
        return [['Set-Cookie', 'host=; Path=/; Max-Age=0']]
      },
      renderPage: createPages({ languages: [english, german] }).logoutPage,
      ...logout,
    },
    ...options,
  })
  await changeClient(under.storage, clientId('A'), { postLogoutRedirectUris: [returnOfA] })
  await changeClient(under.storage, clientId('P'), { postLogoutRedirectUris: ['https://spa.test/bye'] })
  await changeClient(under.storage, clientId('N'), { postLogoutRedirectUris: ['http://127.0.0.1/bye'] })
  return { ...under, ended }
}

/** The cookie of a session of U1 with this name. */
export const sessionCookie = (under: ServerUnderTest, name: string, user = 'U1'): string =>
  `host=${user}.${under.clock.now() - 5}.${name}`

/** An ID token of A that was issued in this session. */
export async function hintOf(under: ServerUnderTest, name: string, change: Change = {}): Promise<string> {
  const tokens = await obtainTokens(under, change, { cookie: sessionCookie(under, name) })
  return tokens['id_token'] ?? ''
}

/** GET /session/end by the browser of a session; without a name, by a browser that is signed out. */
export const logout = (
  under: ServerUnderTest,
  name: string | undefined,
  request: Change | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> =>
  under.send({
    path: `/session/end?${typeof request === 'string' ? request : encode(request)}`,
    headers: { ...(name !== undefined && { cookie: sessionCookie(under, name) }), ...headers },
  })

/** Posts the form of the confirmation page. */
export const confirm = (
  under: ServerUnderTest,
  name: string | undefined,
  form: Change,
  headers: Readonly<Record<string, string>> = { origin: under.issuer },
): Promise<Reply> =>
  under.send({
    method: 'POST',
    path: '/session/end/confirm',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(name !== undefined && { cookie: sessionCookie(under, name) }),
      ...headers,
    },
    body: encode({ decision: 'sign_out', ...form }),
  })
