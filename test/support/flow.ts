import { createHash } from 'node:crypto'

import type { Reply } from './send.ts'
import type { ReachableServer } from './server-under-test.ts'

/** The verifier of the base requests, and its S256 challenge. */
export const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
export const challenge = createHash('sha256').update(verifier).digest('base64url')

/** The base authorization request. A member set to `undefined` is left out. */
export const baseRequest = {
  response_type: 'code',
  client_id: 'A',
  redirect_uri: 'https://app.test/cb',
  scope: 'openid profile',
  state: 's1',
  nonce: 'n1',
  code_challenge: challenge,
  code_challenge_method: 'S256',
}

export type Change = Readonly<Record<string, string | undefined>>

/** Form-encodes the members that are present. */
export const encode = (parameters: Change): string =>
  Object.entries(parameters)
    .flatMap(([name, value]) =>
      value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
    )
    .join('&')

/** Returns the Authorization header of a client that uses client_secret_basic. */
export const basic = (id: string, secret: string): string =>
  `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`)}`

/** Returns the cookie of a user who signed in to the host some seconds ago. */
export const signedInAs = (site: ReachableServer, user: string, secondsAgo = 5): string =>
  `host=${user}.${site.clock.now() - secondsAgo}`

/** Sends GET /auth with the base request and some changes. */
export const authorize = (
  site: ReachableServer,
  change: Change = {},
  headers: Record<string, string> = {},
): Promise<Reply> =>
  site.send({
    path: `/auth?${encode({ ...baseRequest, ...change })}`,
    headers: { cookie: signedInAs(site, 'U1'), ...headers },
  })

/** Posts a form to the host's page to which `started` redirects, as the redirected browser would. */
export function answerInteraction(site: ReachableServer, started: Reply, form: string): Promise<Reply> {
  const { pathname, search } = started.location
  return site.send({
    method: 'POST',
    path: pathname + search,
    headers: {
      cookie: browserCookies(started),
      origin: site.issuer,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: form,
  })
}

/** Returns the cookie that binds an interaction to the browser that started it. */
export const browserCookie = (started: Reply): string =>
  started.cookies.map((cookie) => cookie.split(';', 1)[0]).join('; ')

/** Returns all cookies of that browser: the cookie that binds the interaction, and the host's session cookie. */
export function browserCookies(started: Reply): string {
  const [session = ''] = /host=[^;]+/.exec(String(started.sent.headers?.['cookie'] ?? '')) ?? []
  return [browserCookie(started), session].filter((cookie) => cookie !== '').join('; ')
}

/** Obtains a code: U1 is signed in and consents to every requested scope value. */
export async function obtainCode(
  site: ReachableServer,
  change: Change = {},
  headers: Record<string, string> = {},
): Promise<string> {
  const first = await authorize(site, change, headers)
  const scopes = (change['scope'] ?? baseRequest.scope).split(' ')
  const isDone = first.location.searchParams.has('code')
  const last = isDone
    ? first
    : await answerInteraction(site, first, scopes.map((scope) => `scope=${encodeURIComponent(scope)}`).join('&'))
  const code = last.location.searchParams.get('code')
  if (code === null) throw new Error(`No code: ${last.status} ${last.text} ${last.header('location')}`)
  return code
}

/** Sends POST /token as client A, unless the headers authenticate another client. */
export const token = (site: ReachableServer, form: Change, headers: Record<string, string> = {}): Promise<Reply> =>
  postForm(site, '/token', encode(form), { authorization: basic('A', site.clients.A.secret), ...headers })

/** Redeems a code with the base request's redirect URI and verifier, with some changes. */
export const redeem = (
  site: ReachableServer,
  code: string,
  change: Change = {},
  headers: Record<string, string> = {},
): Promise<Reply> =>
  token(
    site,
    { grant_type: 'authorization_code', code, redirect_uri: 'https://app.test/cb', code_verifier: verifier, ...change },
    headers,
  )

/** Posts a form. A header set to an empty string is left out. */
export function postForm(
  site: ReachableServer,
  path: string,
  body: string,
  headers: Record<string, string>,
): Promise<Reply> {
  const all = { 'content-type': 'application/x-www-form-urlencoded', ...headers }
  return site.send({
    method: 'POST',
    path,
    body,
    headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')),
  })
}

/** Obtains U1's tokens for client A, with `offline_access` unless changed. */
export async function obtainTokens(
  site: ReachableServer,
  change: Change = {},
  headers: Record<string, string> = {},
): Promise<Readonly<Record<string, string>>> {
  const code = await obtainCode(site, { scope: 'openid profile offline_access', ...change }, headers)
  const reply = await redeem(site, code)
  if (reply.status !== 200) throw new Error(`No tokens: ${reply.status} ${reply.text}`)
  return reply.json as Record<string, string>
}
