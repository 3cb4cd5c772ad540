import * as oauth from 'oauth4webapi'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { startLoopbackServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { discover, insecure } from './oauth4webapi-server.ts'

let site: ServerUnderTest
let as: oauth.AuthorizationServer
beforeAll(async () => {
  site = await startLoopbackServer({ dpop: { nonces: 'required' } })
  as = await discover(site)
})
afterAll(() => site.close())

describe('oauth4webapi binds tokens to its key', () => {
  it('repeats its request with the nonce, and gets a bound token (RFC 9449 §5, §8)', async () => {
    const client: oauth.Client = { client_id: 'M' }
    const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256'))
    const request = async () =>
      oauth.processClientCredentialsResponse(
        as,
        client,
        await oauth.clientCredentialsGrantRequest(
          as,
          client,
          oauth.ClientSecretBasic(site.clients.M.secret),
          new URLSearchParams({ scope: 'api.read' }),
          { ...insecure, DPoP },
        ),
      )

    const challenged: unknown = await request().catch((error: unknown) => error)
    const tokens = await request()

    expect(oauth.isDPoPNonceError(challenged)).toBe(true)
    expect(tokens.token_type).toBe('dpop')
    expect(as.dpop_signing_alg_values_supported).toContain('ES256')
  })
})
