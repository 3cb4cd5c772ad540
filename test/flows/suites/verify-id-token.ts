import { createLocalJWKSet, jwtVerify, type JSONWebKeySet, type JWTPayload } from 'jose'

import type { Reply } from '../../support/send.ts'
import type { ReachableServer } from '../../support/server-under-test.ts'

/** The claims of a token response's ID token, verified with the published keys as a client would. */
export async function verifyIdToken(site: ReachableServer, tokens: Reply): Promise<JWTPayload> {
  const keys = (await site.send({ path: '/jwks' })).json as unknown as JSONWebKeySet
  const { payload } = await jwtVerify(String(tokens.json['id_token']), createLocalJWKSet(keys), {
    issuer: site.issuer,
    currentDate: new Date(site.clock.now() * 1000),
  })
  return payload
}
