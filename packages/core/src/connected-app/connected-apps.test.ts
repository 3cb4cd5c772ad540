import { clientId, epochSeconds, grantId, userId } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, it } from 'vitest'

import { registerClient } from '../client/register-client.ts'
import { createConnectedApps } from './connected-apps.ts'

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
    createdAt: epochSeconds(50),
    revokedAt: undefined,
    version: 1,
  })
  return { storage, apps: createConnectedApps({ storage, clock: () => epochSeconds(100) }) }
}

it('lists what a person has connected', async () => {
  const { apps } = await aPersonWithAnApp()

  expect(await apps.list('U1')).toEqual([
    { grantId: 'g1', clientId: 'A', clientName: 'App', scopes: ['openid'], since: 50 },
  ])
})

it('a person disconnects their own apps, and nobody else does', async () => {
  const { storage, apps } = await aPersonWithAnApp()

  expect(await apps.disconnect('U9', 'g1')).toBe('absent')
  expect(await storage.grants.findUnrevoked(userId('U1'), clientId('A'))).toBeDefined()
  expect(await apps.disconnect('U1', 'g1')).toBe('ended')

  expect(await storage.grants.findUnrevoked(userId('U1'), clientId('A'))).toBeUndefined()
  expect(await apps.list('U1')).toEqual([])
})

it('design §4: an app that was let in before a deactivation gets nothing any more, and is not listed', async () => {
  const { storage, apps } = await aPersonWithAnApp()
  await storage.users.deactivate(userId('U1'), epochSeconds(60))
  await storage.users.reactivate(userId('U1'), epochSeconds(70))

  expect(await apps.list('U1')).toEqual([])
})

it('an app whose client is disabled gets nothing any more, and is not listed', async () => {
  const { storage, apps } = await aPersonWithAnApp()
  const client = await storage.clients.find(clientId('A'))
  if (client !== undefined)
    await storage.clients.compareAndSwap({ ...client, disabledAt: epochSeconds(60) }, client.version)

  expect(await apps.list('U1')).toEqual([])
})
