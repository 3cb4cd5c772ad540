import { assertionOf } from './client-assertion.ts'
import { answerInteraction, baseRequest, basic, encode, postForm, type Change } from './flow.ts'
import type { Reply } from './send.ts'
import type { ReachableServer } from './server-under-test.ts'

/** Sends POST /auth/push with the base request and some changes, as client A unless the headers authenticate another. */
export const push = (
  site: ReachableServer,
  change: Change = {},
  headers: Record<string, string> = {},
): Promise<Reply> =>
  postForm(site, '/auth/push', encode({ ...baseRequest, ...change }), {
    authorization: basic('A', site.clients.A.secret),
    ...headers,
  })

/** Sends POST /auth/push as client B, which authenticates with a signed assertion. */
export const pushAsB = async (site: ReachableServer, change: Change = {}): Promise<Reply> =>
  push(
    site,
    { client_id: 'B', redirect_uri: 'https://b.test/cb', ...(await assertionOf(site)), ...change },
    { authorization: '' },
  )

/** Pushes a request as client A and returns its `request_uri`. */
export async function obtainRequestUri(site: ReachableServer, change: Change = {}): Promise<string> {
  const reply = await push(site, change)
  if (reply.status !== 201) throw new Error(`No request_uri: ${reply.status} ${reply.text}`)
  return String(reply.json['request_uri'])
}

/** Sends GET /auth with a `request_uri`, as a browser without a session. */
export const visitPushed = (
  site: ReachableServer,
  requestUri: string,
  change: Change = {},
  headers: Record<string, string> = {},
): Promise<Reply> =>
  site.send({
    path: `/auth?${encode({ client_id: 'A', request_uri: requestUri, ...change })}`,
    headers: { cookie: '', ...headers },
  })

/** Signs U1 in and consents to the scope values; by default to those of the base request. */
export const signInAndConsent = (
  site: ReachableServer,
  started: Reply,
  scopes: readonly string[] = ['openid', 'profile'],
): Promise<Reply> => {
  const consent = scopes.map((scope) => `&scope=${scope}`).join('')
  return answerInteraction(site, started, `subject=U1&auth_time=${site.clock.now()}${consent}`)
}
