import { epochSeconds, userId } from '@mintmark/storage-interface'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { describe, expect, it } from 'vitest'

import { issuer, now, tokensUnderTest } from '../../test/tokens-under-test.ts'
import { findActiveAccessToken, mintAccessToken, verifyAccessToken } from './access-token.ts'

describe('an access token', () => {
  it('names its issuer, user, client, audiences and what it depends on (RFC 9068 §2.2)', async () => {
    const { deps, decision } = await tokensUnderTest()

    const token = await mintAccessToken(decision, now, deps)

    expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'ES256', typ: 'at+jwt' })
    expect(decodeJwt(token)).toEqual({
      iss: issuer,
      sub: 'U1',
      aud: [issuer, 'https://api.test'],
      exp: now + 300,
      iat: now,
      jti: expect.any(String) as string,
      client_id: 'A',
      client_ref: await deps.revocationNames.ofClient(decision.client.clientId),
      user_ref: await deps.revocationNames.ofUser(decision.forUser.user.userId),
      scope: 'openid',
      family: decision.forUser.familyId,
      grant: decision.forUser.grantId,
      generation: decision.forUser.user.generation,
      auth_time: now,
    })
  })

  it('is verified until it expires (RFC 7519 §4.1.4)', async () => {
    const { deps, decision } = await tokensUnderTest()
    const token = await mintAccessToken(decision, now, deps)

    expect(await verifyAccessToken(token, epochSeconds(now + 299), deps)).toMatchObject({ subject: 'U1' })
    expect(await verifyAccessToken(token, epochSeconds(now + 300), deps)).toBeUndefined()
  })

  it('has 43 characters and is verified by its record when it is opaque', async () => {
    const { deps, decision } = await tokensUnderTest()

    const token = await mintAccessToken({ ...decision, target: { ...decision.target, format: 'opaque' } }, now, deps)

    expect(token).toMatch(/^[\w-]{43}$/)
    expect(await verifyAccessToken(token, now, deps)).toMatchObject({ format: 'opaque', clientId: 'A' })
    expect(await verifyAccessToken(`${token.slice(0, -1)}.`, now, deps)).toBeUndefined()
  })

  it.each(['', 'x', 'x'.repeat(44), `${'x'.repeat(42)}=`])(
    'is not looked up in storage when it has no valid form: %j',
    async (token) => {
      const { deps } = await tokensUnderTest()
      const find = (): never => {
        throw new Error('The token was looked up.')
      }

      expect(
        await verifyAccessToken(token, now, {
          ...deps,
          storage: { ...deps.storage, opaqueTokens: { ...deps.storage.opaqueTokens, find } },
        }),
      ).toBeUndefined()
    },
  )

  it('is not issued to a client for a user with the identifier of the client (RFC 9068 §5)', async () => {
    const { storage, deps, decision } = await tokensUnderTest()
    await storage.users.insert({ userId: userId('A'), claims: {}, createdAt: now })
    const user = { ...decision.forUser.user, userId: userId('A') }

    await expect(
      mintAccessToken({ ...decision, forUser: { ...decision.forUser, user } }, now, deps),
    ).rejects.toMatchObject({ code: 'invalid_grant', reason: 'user_id_equals_client_id' })
  })
})

describe('an active access token', () => {
  it('is returned with its user, client, scopes and expiry', async () => {
    const { deps, decision } = await tokensUnderTest()
    const token = await mintAccessToken(decision, now, deps)

    expect(await findActiveAccessToken(token, now, deps)).toEqual({
      subject: 'U1',
      clientId: 'A',
      scopes: ['openid'],
      expiresAt: now + 300,
    })
  })

  it('must be meant for this issuer (RFC 9068 §4)', async () => {
    const { deps, decision } = await tokensUnderTest()
    const target = { ...decision.target, audience: ['https://api.test'] }
    const token = await mintAccessToken({ ...decision, target }, now, deps)

    expect(await findActiveAccessToken(token, now, deps)).toBeUndefined()
  })

  it.each(['user', 'grant', 'family', 'client'] as const)(
    'is no longer active when its %s is not (RFC 7662 §2.2)',
    async (dependency) => {
      const { storage, deps, decision } = await tokensUnderTest()
      const token = await mintAccessToken(decision, now, deps)
      const { grantId, familyId } = decision.forUser
      const revoke = {
        user: () => storage.users.deactivate(userId('U1'), now),
        grant: () => storage.grants.revoke(grantId, now),
        family: () => storage.families.revoke(familyId, now),
        client: async () => {
          const { version } = decision.client
          await storage.clients.compareAndSwap({ ...decision.client, disabledAt: now }, version)
        },
      }

      await revoke[dependency]()

      expect(await findActiveAccessToken(token, now, deps)).toBeUndefined()
    },
  )
})
