import { registerIdentityProvider } from '@mintmark/scim'
import { epochSeconds, type JsonObject, providerId, userId } from '@mintmark/storage-interface'
import { jsonText } from '@mintmark/storage-interface/stores'
import { exportJWK, generateKeyPair, type CryptoKey } from 'jose'

import { signEs256, writeJws } from '../support/forge-jwt.ts'
import { clientRequests, tokensOf } from './client-requests.ts'
import type { Race } from './races.ts'
import { api, issuer, partner } from './server-config.ts'
import type { ProcessSite } from './test-database.ts'
import { violationUnless } from './violation-unless.ts'

/** The key of `partner` and of the directory `acme`, whose issuer is `okta`. */
export interface Partner {
  readonly keys: JsonObject
  readonly privateKey: CryptoKey
}

const okta = 'https://acme.okta.com'
const presenters = 20

/** Adds the directory `acme` with the user Kim. Its ID-JAGs count once. */
export async function createPartner({ storage }: ProcessSite): Promise<Partner> {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' }] }
  const crossAppAccess = { clientIds: ['A'], scopes: ['api.read'], resources: [api], reuse: 'once' } as const
  await registerIdentityProvider(
    { providerId: 'acme', assertions: { issuer: okta, jwks: keys, crossAppAccess } },
    { storage },
  )
  await storage.provisionedUsers.insert({
    providerId: providerId('acme'),
    userId: userId('kim'),
    createdAt: epochSeconds(Date.now() / 1000),
    state: {
      active: true,
      externalId: 'okta-kim',
      resource: jsonText({ userName: 'kim' }),
      renderKey: 'k',
      comparable: { userName: 'kim' },
      claims: {},
    },
  })
  return { keys, privateKey }
}

/** Returns the races of one assertion that client A presents to all servers at once. */
export function assertionRacesOf(
  site: ProcessSite,
  ports: readonly number[],
  { privateKey }: Partner,
): Readonly<Record<string, Race>> {
  const requests = clientRequests(site.clients)
  const port = (index: number): number => ports[index % ports.length] ?? 0

  const isAcceptedOnce = async (claims: JsonObject, typ: string) => {
    const now = Math.floor(Date.now() / 1000)
    const lived = { aud: issuer, iat: now, exp: now + 60, ...claims }
    const assertion = await writeJws({ alg: 'ES256', kid: 'k1', typ }, lived, signEs256(privateKey))

    const replies = await Promise.all(
      Array.from({ length: presenters }, (_, index) => requests.present(port(index), assertion)),
    )

    const won = replies.filter(({ status }) => status === 200)
    const refused = replies.filter(({ status, json }) => status === 400 && json['error'] === 'invalid_grant')
    const active = await Promise.all(
      won.map(async (reply) => (await requests.introspect(port(0), tokensOf(reply).access_token)).json['active']),
    )
    return [
      ...violationUnless(won.length === 1, `one assertion was accepted ${won.length} times`),
      ...violationUnless(
        refused.length === presenters - 1,
        `only ${refused.length} were refused: ${[...new Set(replies.map(({ text }) => text.slice(0, 100)))].join()}`,
      ),
      ...violationUnless(
        active.every((each) => each === true),
        'the token of the accepted assertion is not active',
      ),
    ]
  }
  const jti = (round: number) => `assertion-${process.pid}-${Date.now()}-${round}`

  return {
    'the assertion of an issuer is accepted once': (round) =>
      isAcceptedOnce({ iss: partner, sub: 'U1', jti: jti(round), scope: 'api.read' }, 'JWT'),
    'an ID-JAG that counts once is accepted once': (round) =>
      isAcceptedOnce(
        { iss: okta, sub: 'okta-kim', client_id: 'A', scope: 'api.read', resource: api, jti: jti(round) },
        'oauth-id-jag+jwt',
      ),
  }
}
