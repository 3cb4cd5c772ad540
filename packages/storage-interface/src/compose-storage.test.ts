import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, it } from 'vitest'

import { composeStorage } from './compose-storage.ts'
import { epochSeconds } from './time.ts'

describe('composeStorage', () => {
  it('takes codes, interactions, claims and opaque tokens from the expiring part, everything else from the durable one', () => {
    const durable = createMemoryStorage({ issuer: 'https://issuer.example' })
    const expiring = createMemoryStorage({ issuer: 'https://issuer.example' })

    const storage = composeStorage({ durable, expiring })

    const { codes, interactions, replays, opaqueTokens } = expiring
    expect(storage).toStrictEqual({ ...durable, codes, interactions, replays, opaqueTokens })
    expect(storage.codes).toBe(codes)
    expect(storage.interactions).toBe(interactions)
    expect(storage.replays).toBe(replays)
    expect(storage.opaqueTokens).toBe(opaqueTokens)
    expect(storage.families).toBe(durable.families)
  })

  it('RFC 7009 §2.1: keeps what has ended with the durable stores, revoked tokens among it', async () => {
    const durable = createMemoryStorage({ issuer: 'https://issuer.example' })
    const storage = composeStorage({ durable, expiring: createMemoryStorage({ issuer: 'https://issuer.example' }) })
    const [now, expiresAt] = [epochSeconds(0), epochSeconds(60)]

    await storage.revocations.revokeToken({ tokenId: 'jti-1', expiresAt, now })

    expect(await durable.revocations.isTokenRevoked('jti-1', now)).toBe(true)
    expect((await storage.revocations.list({ from: undefined, endedSince: now, limit: 9 })).records).toHaveLength(1)
  })

  it('refuses parts of two issuers, also when one begins with the other', () => {
    const durable = createMemoryStorage({ issuer: 'https://issuer.example' })
    const expiring = createMemoryStorage({ issuer: 'https://issuer.example/tenant' })

    expect(() => composeStorage({ durable, expiring })).toThrow(TypeError)
  })
})
