import { Agent } from 'node:https'

import OktaJwtVerifier from '@okta/jwt-verifier'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { obtainTokens } from '../support/flow.ts'
import { startLoopbackServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { openTlsFront, type TlsFront } from '../support/tls-front.ts'

const forApi = { scope: 'openid api.read', resource: 'https://api.test' }

let front: TlsFront
let site: ServerUnderTest
let verifier: OktaJwtVerifier
beforeAll(async () => {
  // The library accepts only https issuers and RS256 (the server prefers ES256), and by default reads Okta's key path.
  front = await openTlsFront()
  site = await startLoopbackServer({ issuer: front.origin, accessTokenAlgorithm: 'RS256' })
  front.forwardTo(site.port)
  verifier = new OktaJwtVerifier({
    issuer: site.issuer,
    jwksUri: `${site.issuer}/jwks`,
    clientId: 'A',
    requestAgent: new Agent({ ca: front.certificate }),
  })
})
afterAll(async () => {
  await site.close()
  await front.close()
})

describe('an API with @okta/jwt-verifier', () => {
  it('verifies an access token for its audience, over https (RFC 9068 §4)', async () => {
    const tokens = await obtainTokens(site, forApi)

    const { claims } = await verifier.verifyAccessToken(tokens['access_token'] ?? '', 'https://api.test')

    expect(claims).toMatchObject({ iss: front.origin, sub: 'U1', scope: 'openid api.read' })
  })

  it('verifies an ID token with its nonce (OIDC Core §3.1.3.7)', async () => {
    const tokens = await obtainTokens(site, forApi)

    const { claims } = await verifier.verifyIdToken(tokens['id_token'] ?? '', 'A', 'n1')

    expect(claims).toMatchObject({ iss: front.origin, sub: 'U1', nonce: 'n1' })
  })

  it('rejects an access token for another audience (RFC 9068 §4)', async () => {
    const tokens = await obtainTokens(site)

    const refused = verifier.verifyAccessToken(tokens['access_token'] ?? '', 'https://api.test')

    await expect(refused).rejects.toThrow(
      `audience claim ${front.origin} does not match expected audience: https://api.test`,
    )
  })

  it('rejects an expired access token (RFC 7519 §4.1.4)', async () => {
    site.clock.advance(-3600)
    const tokens = await obtainTokens(site, forApi)
    site.clock.advance(3600)

    const refused = verifier.verifyAccessToken(tokens['access_token'] ?? '', 'https://api.test')

    await expect(refused).rejects.toThrow('Jwt is expired')
  })
})
