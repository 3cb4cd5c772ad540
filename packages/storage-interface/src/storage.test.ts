import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, it } from 'vitest'
import { composeStorage, requireStores } from './storage.ts'
import { epochSeconds } from './values.ts'

describe('requireStores', () => {
  const storage = createMemoryStorage({ issuer: 'https://issuer.example' })
  const { organizations: _organizations, logs: _logs, ...scimStorage } = storage

  it.each(['oauth', 'scim', 'admin'] as const)('accepts a storage that has every store of %s', (capability) => {
    expect(() => requireStores(storage, { capability, feature: 'A feature' })).not.toThrow()
  })

  it('does not require the stores of a feature that is not used', () => {
    expect(() => requireStores(scimStorage, { capability: 'scim', feature: 'createScimServer' })).not.toThrow()
  })

  it('throws an error that names the feature, the missing stores and the interface to implement', () => {
    expect(() => requireStores(scimStorage, { capability: 'admin', feature: 'Administration' })).toThrow(
      'Administration needs a storage with `organizations`, `logs`. ' +
        'Provide every store of `AdminStorage`: docs/how-to/write-a-store.md.',
    )
  })
})

describe('composeStorage', () => {
  it('takes codes, interactions, pushed requests, replays and opaque tokens from the expiring part, and everything else from the durable part', () => {
    const durable = createMemoryStorage({ issuer: 'https://issuer.example' })
    const expiring = createMemoryStorage({ issuer: 'https://issuer.example' })

    const storage = composeStorage({ durable, expiring })

    const { codes, interactions, pushedRequests, replays, opaqueTokens } = expiring
    expect(storage).toStrictEqual({ ...durable, codes, interactions, pushedRequests, replays, opaqueTokens })
    expect(storage.codes).toBe(codes)
    expect(storage.interactions).toBe(interactions)
    expect(storage.replays).toBe(replays)
    expect(storage.opaqueTokens).toBe(opaqueTokens)
    expect(storage.families).toBe(durable.families)
  })

  it('keeps revocations in the durable stores, including revocations of single tokens (RFC 7009 §2.1)', async () => {
    const durable = createMemoryStorage({ issuer: 'https://issuer.example' })
    const storage = composeStorage({ durable, expiring: createMemoryStorage({ issuer: 'https://issuer.example' }) })
    const [now, expiresAt] = [epochSeconds(0), epochSeconds(60)]

    await storage.revocations.revokeToken({ tokenId: 'jti-1', expiresAt, now })

    expect(await durable.revocations.isTokenRevoked('jti-1', now)).toBe(true)
    expect((await storage.revocations.list({ from: undefined, revokedSince: now, limit: 9 })).records).toHaveLength(1)
  })

  it('throws if the parts belong to different issuers, even if one issuer is a prefix of the other', () => {
    const durable = createMemoryStorage({ issuer: 'https://issuer.example' })
    const expiring = createMemoryStorage({ issuer: 'https://issuer.example/tenant' })

    expect(() => composeStorage({ durable, expiring })).toThrow(TypeError)
  })
})
