import { describe, expect, it } from 'vitest'

import { now, tokensUnderTest } from '../../test/tokens-under-test.ts'
import { findActiveAccessToken, mintAccessToken } from './access-token.ts'
import { revokeToken } from './revocation.ts'

describe('token revocation', () => {
  it.each(['jwt', 'opaque'] as const)('revokes an access token, in format %s (RFC 7009 §2.1)', async (format) => {
    const { deps, decision, client } = await tokensUnderTest()
    const target = { ...decision.target, format }
    const token = await mintAccessToken({ ...decision, target }, now, deps)

    expect(await revokeToken({ token, client }, now, deps)).toBe('access_token')

    expect(await findActiveAccessToken(token, now, deps)).toBeUndefined()
  })

  it('revokes the family of a refresh token (RFC 7009 §2.1)', async () => {
    const { storage, deps, client, aRefreshToken } = await tokensUnderTest()
    const { token, familyId } = await aRefreshToken()

    expect(await revokeToken({ token, client }, now, deps)).toBe('family')

    expect((await storage.status.ofFamily(familyId))?.family.revokedAt).toBe(now)
  })

  it('changes nothing for the tokens of another client (RFC 7009 §2.1)', async () => {
    const { storage, deps, decision, aClient, aRefreshToken } = await tokensUnderTest()
    const accessToken = await mintAccessToken(decision, now, deps)
    const { token: refreshToken, familyId } = await aRefreshToken()
    const client = await aClient({ clientId: 'B' })

    for (const token of [accessToken, refreshToken]) {
      expect(await revokeToken({ token, client }, now, deps)).toBe('nothing')
    }

    expect(await findActiveAccessToken(accessToken, now, deps)).toBeDefined()
    expect((await storage.status.ofFamily(familyId))?.family.revokedAt).toBeUndefined()
  })

  it.each(['', 'unknown', 'a.b.c', 'A'.repeat(43), 'A'.repeat(107)])(
    'ignores an unknown token: %j (RFC 7009 §2.2)',
    async (token) => {
      const { deps, client } = await tokensUnderTest()

      expect(await revokeToken({ token, client }, now, deps)).toBe('nothing')
    },
  )
})
