import { userId } from '@mintmark/storage-interface'
import { describe, expect, it } from 'vitest'

import { issuer, now, tokensUnderTest } from '../../test/tokens-under-test.ts'
import { requireConfidential } from '../clients/authenticate.ts'
import { mintAccessToken } from './access-token.ts'
import { introspectToken } from './introspection.ts'

describe('introspection of an access token', () => {
  it('describes it to its client and to its audience (RFC 7662 §2.2)', async () => {
    const { deps, decision, client, aClient } = await tokensUnderTest()
    const token = await mintAccessToken(decision, now, deps)
    const api = await aClient({ clientId: 'API', servedAudiences: ['https://api.test'] })

    for (const caller of [client, api]) {
      expect(await introspectToken({ token, caller: requireConfidential(caller) }, now, deps)).toEqual({
        active: true,
        token_type: 'Bearer',
        iss: issuer,
        sub: 'U1',
        aud: [issuer, 'https://api.test'],
        exp: now + 300,
        iat: now,
        jti: expect.any(String) as string,
        client_id: 'A',
        scope: 'openid',
        auth_time: now,
      })
    }
  })

  it('reveals nothing to any other caller (RFC 7662 §4)', async () => {
    const { deps, decision, aClient } = await tokensUnderTest()
    const token = await mintAccessToken(decision, now, deps)
    const caller = requireConfidential(await aClient({ clientId: 'B', servedAudiences: ['https://other.test'] }))

    expect(await introspectToken({ token, caller }, now, deps)).toEqual({ active: false })
  })
})

describe('introspection of a refresh token', () => {
  it('describes it to its client only (RFC 7662 §2.2)', async () => {
    const { deps, client, aClient, aRefreshToken } = await tokensUnderTest()
    const { token } = await aRefreshToken()
    const other = requireConfidential(await aClient({ clientId: 'B', servedAudiences: [issuer] }))

    expect(await introspectToken({ token, caller: requireConfidential(client) }, now, deps)).toEqual({
      active: true,
      scope: 'openid offline_access',
      client_id: 'A',
      sub: 'U1',
      iss: issuer,
      iat: now,
      exp: now + 600,
    })
    expect(await introspectToken({ token, caller: other }, now, deps)).toEqual({ active: false })
  })

  it('reports it as inactive once the user is deactivated (RFC 7662 §2.2)', async () => {
    const { storage, deps, client, aRefreshToken } = await tokensUnderTest()
    const { token } = await aRefreshToken()

    await storage.users.deactivate(userId('U1'), now)

    expect(await introspectToken({ token, caller: requireConfidential(client) }, now, deps)).toEqual({ active: false })
  })
})
