import { systemRandom } from '@mintmark/internal'
import { clientId, epochSeconds, grantId, userId, type GrantRecord } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, it } from 'vitest'

import { registerClient } from '../clients/registration.ts'
import type { SignedInUser } from '../sessions/signed-in-user.ts'
import { createConnectedApps, saveGrant, withdrawConsent } from './consent.ts'

const now = epochSeconds(1000)

function aGrant(change: Partial<GrantRecord> = {}): GrantRecord {
  const ids = { grantId: grantId('g1'), clientId: clientId('A'), userId: userId('U1') }
  return {
    ...ids,
    userGeneration: 0,
    scopes: ['openid'],
    resources: [],
    authorizationDetails: [],
    clientDigest: undefined,
    createdAt: now,
    revokedAt: undefined,
    version: 1,
    ...change,
  }
}

function aPerson(generation: number): SignedInUser {
  const user = {
    userId: userId('U1'),
    providerId: undefined,
    blockedAt: undefined,
    activeAfterBlock: undefined,
    active: true,
    generation,
    claims: {},
    createdAt: now,
    updatedAt: now,
    version: 1,
  }
  return { user, authentication: { authTime: now, acr: undefined, amr: [], sessionId: undefined } }
}

const shown = { scopes: ['openid', 'email', 'phone'], resources: ['https://api.test'], authorizationDetails: [] }

async function consentOn(existing: GrantRecord, generation: number) {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  await storage.grants.insert(existing)
  const consent = {
    clientId: clientId('A'),
    signedInUser: aPerson(generation),
    scopes: ['openid', 'email'],
    resources: [],
    authorizationDetails: [],
    shown,
  }
  const saved = await saveGrant(consent, now, { storage, random: systemRandom })
  return { saved, status: await storage.grants.findUnrevoked(userId('U1'), clientId('A')) }
}

describe('consent', () => {
  it('adds the scopes of later consent to the grant', async () => {
    const { saved, status } = await consentOn(aGrant(), 0)

    expect(saved).toMatchObject({ grantId: 'g1', scopes: ['openid', 'email'] })
    expect(status).toEqual(saved)
  })

  it('replaces what was on the page, and keeps the rest (OIDC Core §3.1.2.4)', async () => {
    const before = { scopes: ['openid', 'phone', 'profile'], resources: ['https://api.test', 'https://other.test'] }

    const { saved, status } = await consentOn(aGrant(before), 0)

    expect(saved).toMatchObject({ scopes: ['openid', 'profile', 'email'], resources: ['https://other.test'] })
    expect(status).toEqual(saved)
  })

  it('that is denied is no longer remembered, and the grant stays (OIDC Core §3.1.2.4)', async () => {
    const storage = createMemoryStorage({ issuer: 'https://as.test' })
    await storage.grants.insert(aGrant({ scopes: ['openid', 'phone', 'profile'] }))

    await withdrawConsent({ clientId: clientId('A'), signedInUser: aPerson(0), shown }, storage)
    await withdrawConsent({ clientId: clientId('B'), signedInUser: aPerson(0), shown }, storage)

    const grant = await storage.grants.findUnrevoked(userId('U1'), clientId('A'))
    expect(grant).toMatchObject({ grantId: 'g1', scopes: ['profile'], version: 2 })
  })

  it('revokes consent from before a deactivation', async () => {
    const { saved, status } = await consentOn(aGrant({ userGeneration: 0, scopes: ['phone'] }), 1)

    expect(saved).toMatchObject({ userGeneration: 1, scopes: ['openid', 'email'] })
    expect(status).toEqual(saved)
  })

  it('keeps consent given after a reactivation when an older sign-in completes', async () => {
    const newer = aGrant({ userGeneration: 2 })

    const { saved, status } = await consentOn(newer, 1)

    expect(saved).toBeUndefined()
    expect(status).toEqual(newer)
  })
})

async function aPersonWithAnApp() {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  await registerClient({ clientId: 'A', clientName: 'App', redirectUris: ['https://app.test/cb'] }, { storage })
  await storage.users.insert({ userId: userId('U1'), claims: {}, createdAt: epochSeconds(0) })
  await storage.grants.insert({
    grantId: grantId('g1'),
    clientId: clientId('A'),
    userId: userId('U1'),
    userGeneration: 0,
    scopes: ['openid'],
    resources: [],
    authorizationDetails: [],
    createdAt: epochSeconds(50),
    clientDigest: undefined,
    revokedAt: undefined,
    version: 1,
  })
  return { storage, apps: createConnectedApps({ storage, clock: () => epochSeconds(100) }) }
}

it('lists the apps that a user has connected', async () => {
  const { apps } = await aPersonWithAnApp()

  expect(await apps.list('U1')).toEqual([
    { grantId: 'g1', clientId: 'A', clientName: 'App', scopes: ['openid'], resources: [], since: 50 },
  ])
})

it('refuses a misspelled option', () => {
  const misspelled = { storage: createMemoryStorage({ issuer: 'https://as.test' }), clok: () => epochSeconds(0) }

  expect(() => createConnectedApps(misspelled)).toThrow('createConnectedApps: clok is not an option.')
})

it('lets only the user disconnect their apps', async () => {
  const { storage, apps } = await aPersonWithAnApp()

  expect(await apps.disconnect('U9', 'g1')).toBe('absent')
  expect(await storage.grants.findUnrevoked(userId('U1'), clientId('A'))).toBeDefined()
  expect(await apps.disconnect('U1', 'g1')).toBe('revoked')

  expect(await storage.grants.findUnrevoked(userId('U1'), clientId('A'))).toBeUndefined()
  expect(await apps.list('U1')).toEqual([])
})

it('does not list an app that was connected before a deactivation, because its grant is not active', async () => {
  const { storage, apps } = await aPersonWithAnApp()
  await storage.users.deactivate(userId('U1'), epochSeconds(60))
  await storage.users.reactivate(userId('U1'), epochSeconds(70))

  expect(await apps.list('U1')).toEqual([])
})

it('does not list an app whose client is disabled, because its grant is not active', async () => {
  const { storage, apps } = await aPersonWithAnApp()
  const client = await storage.clients.find(clientId('A'))
  if (client !== undefined)
    await storage.clients.compareAndSwap({ ...client, disabledAt: epochSeconds(60) }, client.version)

  expect(await apps.list('U1')).toEqual([])
})
