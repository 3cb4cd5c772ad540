import { assertionOf } from './client-assertion.ts'
import { baseRequest, encode, postForm, type Change } from './flow.ts'
import { signEs256, writeJws, type SignBytes } from './forge-jwt.ts'
import type { Reply } from './send.ts'
import type { ReachableServer } from './server-under-test.ts'

/** How a request object of client B differs from a valid one. A member set to `undefined` is left out. */
export interface ObjectChange {
  readonly header?: Readonly<Record<string, unknown>>
  readonly claims?: Readonly<Record<string, unknown>>
  readonly sign?: SignBytes
}

/** Signs the base authorization request of client B as a request object (RFC 9101 §4). */
export function writeRequestObject(site: ReachableServer, change: ObjectChange = {}): Promise<string> {
  const now = site.clock.now()
  const registered = { iss: 'B', aud: site.issuer, exp: now + 60, nbf: now, iat: now }
  return writeJws(
    { alg: 'ES256', typ: 'oauth-authz-req+jwt', kid: 'b1', ...change.header },
    { ...registered, ...baseRequest, client_id: 'B', redirect_uri: 'https://b.test/cb', ...change.claims },
    change.sign ?? signEs256(site.clients.B.privateKey),
  )
}

/** Sends GET /auth for client B with a request object, as a browser without a session. */
export const visitObject = async (
  site: ReachableServer,
  object: string | Promise<string>,
  outside: Change = {},
): Promise<Reply> =>
  site.send({
    path: `/auth?${encode({ client_id: 'B', request: await object, ...outside })}`,
    headers: { cookie: '' },
  })

/** Sends POST /auth/push as client B with a request object. */
export const pushObject = async (
  site: ReachableServer,
  object: string | Promise<string>,
  outside: Change = {},
): Promise<Reply> =>
  postForm(
    site,
    '/auth/push',
    encode({ client_id: 'B', request: await object, ...(await assertionOf(site)), ...outside }),
    {},
  )
