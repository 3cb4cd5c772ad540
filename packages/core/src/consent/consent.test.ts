import { systemRandom } from '@mintmark/internal'
import { clientId, epochSeconds, grantId, userId, type GrantRecord } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, it } from 'vitest'

import { registerClient } from '../clients/registration.ts'
import type { SignedInUser } from '../sessions/signed-in-user.ts'
import type { ResourceRules } from '../permissions/resources.ts'
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

function aSignedInUser(generation: number): SignedInUser {
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
  return {
    user,
    authentication: { authTime: now, acr: undefined, amr: [], sessionId: undefined, sessionExpiresAt: undefined },
  }
}

const rules: Pick<ResourceRules, 'resources' | 'identityScopes'> = { resources: new Map(), identityScopes: new Set() }

const shown = { scopes: ['openid', 'email', 'phone'], resources: ['https://api.test'], authorizationDetails: [] }

async function saveConsent(existing: GrantRecord, generation: number) {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  await storage.grants.insert(existing)
  const consent = {
    clientId: clientId('A'),
    signedInUser: aSignedInUser(generation),
    scopes: ['openid', 'email'],
    resources: [],
    audience: 'apis' as const,
    authorizationDetails: [],
    shown,
  }
  const saved = await saveGrant(consent, now, { storage, random: systemRandom, rules })
  return { saved, stored: await storage.grants.findUnrevoked(userId('U1'), clientId('A')) }
}

describe('consent', () => {
  it('adds newly consented scopes to the existing grant', async () => {
    const { saved, stored } = await saveConsent(aGrant(), 0)

    expect(saved).toMatchObject({ grantId: 'g1', scopes: ['openid', 'email'] })
    expect(stored).toEqual(saved)
  })

  it('writes nothing if the grant already contains what the user grants', async () => {
    const { saved, stored } = await saveConsent(aGrant({ scopes: ['openid', 'email'] }), 0)

    expect(saved).toMatchObject({ grantId: 'g1', version: 1 })
    expect(stored).toEqual(saved)
  })

  it('replaces the scopes and resources that were on the page, and keeps the others (OIDC Core §3.1.2.4)', async () => {
    const before = { scopes: ['openid', 'phone', 'profile'], resources: ['https://api.test', 'https://other.test'] }

    const { saved, stored } = await saveConsent(aGrant(before), 0)

    expect(saved).toMatchObject({ scopes: ['openid', 'profile', 'email'], resources: ['https://other.test'] })
    expect(stored).toEqual(saved)
  })

  it('removes what the user denies, and keeps the rest of the grant (OIDC Core §3.1.2.4)', async () => {
    const storage = createMemoryStorage({ issuer: 'https://as.test' })
    await storage.grants.insert(aGrant({ scopes: ['openid', 'phone', 'profile'] }))

    await withdrawConsent({ clientId: clientId('A'), signedInUser: aSignedInUser(0), shown }, { storage, rules })
    await withdrawConsent({ clientId: clientId('B'), signedInUser: aSignedInUser(0), shown }, { storage, rules })

    const grant = await storage.grants.findUnrevoked(userId('U1'), clientId('A'))
    expect(grant).toMatchObject({ grantId: 'g1', scopes: ['profile'], version: 2 })
  })

  it('replaces a grant from before a deactivation with a new grant', async () => {
    const { saved, stored } = await saveConsent(aGrant({ userGeneration: 0, scopes: ['phone'] }), 1)

    expect(saved).toMatchObject({ userGeneration: 1, scopes: ['openid', 'email'] })
    expect(stored).toEqual(saved)
  })

  it('saves nothing for a sign-in from before a reactivation, so that consent given since then is kept', async () => {
    const newer = aGrant({ userGeneration: 2 })

    const { saved, stored } = await saveConsent(newer, 1)

    expect(saved).toBeUndefined()
    expect(stored).toEqual(newer)
  })
})

async function aUserWithAnApp() {
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
  const { apps } = await aUserWithAnApp()

  expect(await apps.list('U1')).toEqual([
    { grantId: 'g1', clientId: 'A', clientName: 'App', scopes: ['openid'], resources: [], since: 50 },
  ])
})

it('links an app that has registered where a login can be initiated (OIDC Core §4)', async () => {
  const { storage, apps } = await aUserWithAnApp()
  const client = await storage.clients.find(clientId('A'))
  if (client === undefined) throw new Error('no client')
  await storage.clients.compareAndSwap({ ...client, initiateLoginUri: 'https://app.test/start' }, client.version)

  const [app] = await apps.list('U1')

  expect(app?.initiateLoginUrl).toBe('https://app.test/start?iss=https%3A%2F%2Fas.test')
})

it('has the address of the logo at the server, unless the client chose it itself (RFC 7591 §5)', async () => {
  const { storage, apps } = await aUserWithAnApp()
  const client = await storage.clients.find(clientId('A'))
  if (client === undefined) throw new Error('no client')
  const withLogo = { ...client, logoUri: 'https://cdn.app.test/logo.png' }
  await storage.clients.compareAndSwap({ ...withLogo, origin: 'administrator' }, client.version)
  const [verified] = await apps.list('U1')
  const changed = await storage.clients.find(clientId('A'))
  const selfManagement = {}
  await storage.clients.compareAndSwap({ ...withLogo, origin: 'registration', selfManagement }, changed?.version ?? 0)
  const [unverified] = await apps.list('U1')

  expect(verified?.logoUrl).toBe('https://as.test/client-logo?client_id=A')
  expect(unverified).toMatchObject({ clientName: 'App' })
  expect(unverified?.logoUrl).toBeUndefined()
})

it('refuses a misspelled option', () => {
  const misspelled = { storage: createMemoryStorage({ issuer: 'https://as.test' }), clok: () => epochSeconds(0) }

  expect(() => createConnectedApps(misspelled)).toThrow('createConnectedApps: clok is not an option.')
})

it('lets only the user disconnect their apps', async () => {
  const { storage, apps } = await aUserWithAnApp()

  expect(await apps.disconnect('U9', 'g1')).toBe('absent')
  expect(await storage.grants.findUnrevoked(userId('U1'), clientId('A'))).toBeDefined()
  expect(await apps.disconnect('U1', 'g1')).toBe('revoked')

  expect(await storage.grants.findUnrevoked(userId('U1'), clientId('A'))).toBeUndefined()
  expect(await apps.list('U1')).toEqual([])
})

it('does not list an app that was connected before a deactivation, because its grant is not active', async () => {
  const { storage, apps } = await aUserWithAnApp()
  await storage.users.deactivate(userId('U1'), epochSeconds(60))
  await storage.users.reactivate(userId('U1'), epochSeconds(70))

  expect(await apps.list('U1')).toEqual([])
})

it('does not list an app whose client is disabled, because its grant is not active', async () => {
  const { storage, apps } = await aUserWithAnApp()
  const client = await storage.clients.find(clientId('A'))
  if (client !== undefined)
    await storage.clients.compareAndSwap({ ...client, disabledAt: epochSeconds(60) }, client.version)

  expect(await apps.list('U1')).toEqual([])
})
