import { clientId, epochSeconds, grantId, userId, type GrantRecord } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, it } from 'vitest'

import { systemRandom } from '../runtime/random.ts'
import type { SignedInUser } from './signed-in-user.ts'
import { saveGrant } from './save-grant.ts'

const now = epochSeconds(1000)

function aGrant(change: Partial<GrantRecord> = {}): GrantRecord {
  const ids = { grantId: grantId('g1'), clientId: clientId('A'), userId: userId('U1') }
  return { ...ids, userGeneration: 0, scopes: ['openid'], createdAt: now, revokedAt: undefined, version: 1, ...change }
}

function aPerson(generation: number): SignedInUser {
  const user = {
    userId: userId('U1'),
    active: true,
    generation,
    claims: {},
    createdAt: now,
    updatedAt: now,
    version: 1,
  }
  return { user, authentication: { authTime: now, acr: undefined, amr: [], sessionId: undefined } }
}

async function consentOn(existing: GrantRecord, generation: number) {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  await storage.grants.insert(existing)
  const consent = { clientId: clientId('A'), person: aPerson(generation), scopes: ['openid', 'email'] }
  const saved = await saveGrant(consent, now, { storage, random: systemRandom })
  return { saved, standing: await storage.grants.findUnrevoked(userId('U1'), clientId('A')) }
}

describe('remembered consent', () => {
  it('is widened by what is consented to next', async () => {
    const { saved, standing } = await consentOn(aGrant(), 0)

    expect(saved).toMatchObject({ grantId: 'g1', scopes: ['openid', 'email'] })
    expect(standing).toEqual(saved)
  })

  it('design §4: of before a deactivation is put away', async () => {
    const { saved, standing } = await consentOn(aGrant({ userGeneration: 0, scopes: ['phone'] }), 1)

    expect(saved).toMatchObject({ userGeneration: 1, scopes: ['openid', 'email'] })
    expect(standing).toEqual(saved)
  })

  it('design §4: of after a reactivation is not ended by a sign-in of before', async () => {
    const newer = aGrant({ userGeneration: 2 })

    const { saved, standing } = await consentOn(newer, 1)

    expect(saved).toBeUndefined()
    expect(standing).toEqual(newer)
  })
})
