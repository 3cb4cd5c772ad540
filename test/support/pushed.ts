import { assertionOf } from './client-assertion.ts'
import { answerInteraction, baseRequest, basic, encode, postForm, type Change } from './flow.ts'
import type { Reply } from './reply.ts'
import type { ReachableServer } from './server-under-test.ts'

/** POST /auth/push with the base request and some changes, as client A unless the headers say otherwise. */
export const push = (
  under: ReachableServer,
  change: Change = {},
  headers: Record<string, string> = {},
): Promise<Reply> =>
  postForm(under, '/auth/push', encode({ ...baseRequest, ...change }), {
    authorization: basic('A', under.clients.A.secret),
    ...headers,
  })

/** POST /auth/push as client B, which signs an assertion. */
export const pushAsB = async (under: ReachableServer, change: Change = {}): Promise<Reply> =>
  push(
    under,
    { client_id: 'B', redirect_uri: 'https://b.test/cb', ...(await assertionOf(under)), ...change },
    { authorization: '' },
  )

/** The `request_uri` of a pushed request. */
export async function pushed(under: ReachableServer, change: Change = {}): Promise<string> {
  const reply = await push(under, change)
  if (reply.status !== 201) throw new Error(`Not pushed: ${reply.status} ${reply.text}`)
  return String(reply.json['request_uri'])
}

/** GET /auth with a `request_uri`, as a browser without a session. */
export const visitPushed = (
  under: ReachableServer,
  requestUri: string,
  change: Change = {},
  headers: Record<string, string> = {},
): Promise<Reply> =>
  under.send({
    path: `/auth?${encode({ client_id: 'A', request_uri: requestUri, ...change })}`,
    headers: { cookie: '', ...headers },
  })

/** Signs U1 in and consents: to what the base request asks for unless other scope values are given. */
export const signIn = (
  under: ReachableServer,
  started: Reply,
  scopes: readonly string[] = ['openid', 'profile'],
): Promise<Reply> => {
  const consent = scopes.map((scope) => `&scope=${scope}`).join('')
  return answerInteraction(under, started, `subject=U1&auth_time=${under.clock.now()}${consent}`)
}
