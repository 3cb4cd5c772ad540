import { assertionOf } from './client-assertion.ts'
import { baseRequest, encode, postForm, type Change } from './flow.ts'
import { signEs256, writeJws, type SignBytes } from './forge-jwt.ts'
import type { Reply } from './reply.ts'
import type { ReachableServer } from './server-under-test.ts'

/** How a request object of client B differs from a valid one. A member set to `undefined` is left out. */
export interface ObjectChange {
  readonly header?: Readonly<Record<string, unknown>>
  readonly claims?: Readonly<Record<string, unknown>>
  readonly sign?: SignBytes
}

/** The base authorization request of client B, as a request object that B signed (RFC 9101 §4). */
export function writeRequestObject(under: ReachableServer, change: ObjectChange = {}): Promise<string> {
  const now = under.clock.now()
  const registered = { iss: 'B', aud: under.issuer, exp: now + 60, nbf: now, iat: now }
  return writeJws(
    { alg: 'ES256', typ: 'oauth-authz-req+jwt', kid: 'b1', ...change.header },
    { ...registered, ...baseRequest, client_id: 'B', redirect_uri: 'https://b.test/cb', ...change.claims },
    change.sign ?? signEs256(under.clients.B.privateKey),
  )
}

/** GET /auth of client B with a request object, as a browser without a session. */
export const visitObject = async (
  under: ReachableServer,
  object: string | Promise<string>,
  outside: Change = {},
): Promise<Reply> =>
  under.send({
    path: `/auth?${encode({ client_id: 'B', request: await object, ...outside })}`,
    headers: { cookie: '' },
  })

/** POST /auth/push of client B with a request object. */
export const pushObject = async (
  under: ReachableServer,
  object: string | Promise<string>,
  outside: Change = {},
): Promise<Reply> =>
  postForm(
    under,
    '/auth/push',
    encode({ client_id: 'B', request: await object, ...(await assertionOf(under)), ...outside }),
    {},
  )
