import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { createAuthorizationServer, createStoredKeys } from '@mintmark/core'
import { createProvisioning } from '@mintmark/provisioning'
import { registerIdentityProvider } from '@mintmark/scim'
import { epochSeconds, providerId, userId } from '@mintmark/storage-interface'
import { aGroup, aProvisionedState, aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { jsonText } from '@mintmark/storage-interface/stores'
import express from 'express'
import SCIMMY from 'scimmy'
import { SCIMMYRouters } from 'scimmy-routers'
import { afterAll, beforeAll, expect, it } from 'vitest'

// A partner that uses scimmy, over HTTP.

/** A user or a group: each has one of the names. */
interface Stored {
  readonly id: string
  readonly userName: string
  readonly displayName: string
  readonly externalId?: string
}

const users = new Map<string, Stored>()
const groups = new Map<string, Stored>()
/** Users arrive in any order, because they are delivered at the same time. */
const sortedUsers = () => [...users.values()].toSorted((one, other) => (one.userName < other.userName ? -1 : 1))
const listener = createServer()
let baseUrl: string

/** What an application writes to use scimmy: it stores resources, and applies filters. */
const storeIn = (rows: Map<string, Stored>) => ({
  put(id: string | undefined, instance: unknown): Stored {
    const stored: Stored = {
      ...(JSON.parse(JSON.stringify(instance)) as Stored),
      id: id ?? crypto.randomUUID(),
    }
    rows.set(stored.id, stored)
    return stored
  },
  find(id: string): Stored {
    const found = rows.get(id)
    if (found === undefined) throw new SCIMMY.Types.Error(404, '', 'Not found')
    return found
  },
  all: () => [...rows.values()],
  remove: (id: string | undefined) => void rows.delete(id ?? ''),
})

beforeAll(async () => {
  const [userStore, groupStore] = [storeIn(users), storeIn(groups)]
  const { User, Group } = SCIMMY.Resources
  SCIMMY.Resources.declare(User)
  SCIMMY.Resources.declare(Group)
  User.ingress(({ id }, instance) => userStore.put(id, instance))
    .egress(({ id, filter }) =>
      id !== undefined ? userStore.find(id) : ((filter?.match(userStore.all()) ?? userStore.all()) as Stored[]),
    )
    .degress(({ id }) => userStore.remove(id))
  Group.ingress(({ id }, instance) => groupStore.put(id, instance))
    .egress(({ id, filter }) =>
      id !== undefined ? groupStore.find(id) : ((filter?.match(groupStore.all()) ?? groupStore.all()) as Stored[]),
    )
    .degress(({ id }) => groupStore.remove(id))
  const app = express()
  app.set('query parser', (text: string) =>
    Object.fromEntries(
      [...new URLSearchParams(text)].map(([name, value]) => [
        name,
        name === 'startIndex' || name === 'count' ? Number(value) : value,
      ]),
    ),
  )
  app.use('/scim', new SCIMMYRouters({ type: 'bearer', handler: () => 'us' }))
  listener.on('request', app)
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
})
afterAll(() => new Promise((resolve) => listener.close(resolve)))

it('scimmy gets users and groups, their changes and removals, and a comparison then shows nothing', async () => {
  let now = 1_790_000_000
  const clock = () => epochSeconds(now)
  const issuer = 'https://as.test'
  const storage = createMemoryStorage({ issuer })
  const keys = createStoredKeys({ storage, sealingKey: 'A'.repeat(43), clock })
  const dangerouslyAllowOutbound = [baseUrl]
  const provisioning = createProvisioning({ storage, keys, clock, dangerouslyAllowOutbound })
  const signedIn = async () => undefined
  const server = createAuthorizationServer({
    issuer,
    storage,
    keys,
    clock,
    provisioning,
    dangerouslyAllowOutbound,
    signedIn,
    onEvent: () => {},
  })
  const deliver = async () => {
    for (let round = 0; round < 4; round += 1) {
      await server.deliverOnce()
      now += 11
    }
  }
  await registerIdentityProvider({ providerId: 'provider-1' }, { storage, clock })
  await provisioning.targets.create({
    targetId: 'scimmy',
    displayName: 'scimmy',
    baseUrl: `${baseUrl}/scim`,
    credential: { bearerToken: 'secret' },
    providerIds: ['provider-1'],
  })
  for (const label of 'ab') await storage.provisionedUsers.insert(aProvisionedUser(label))
  await storage.groups.insert(aGroup('g', { memberIds: ['user-a', 'user-b'] }))
  await provisioning.targets.enable('scimmy')
  await provisioning.synchronize('scimmy')
  await deliver()

  expect(sortedUsers().map(({ externalId }) => externalId)).toEqual(['user-a', 'user-b'])
  expect([...groups.values()]).toMatchObject([{ externalId: 'group-g' }])
  expect((await provisioning.compare('scimmy')).divergences).toEqual([])

  const provider = providerId('provider-1')
  const state = aProvisionedState('a', { resource: jsonText({ userName: 'a', title: 'T' }), active: false })
  await storage.provisionedUsers.compareAndSwap({
    providerId: provider,
    userId: userId('user-a'),
    version: 1,
    state,
    now: clock(),
  })
  await storage.users.remove(userId('user-b'), clock())
  await deliver()

  expect(sortedUsers()).toMatchObject([
    { externalId: 'user-a', title: 'T', active: false },
    { externalId: 'user-b', active: false },
  ])
  expect((await provisioning.compare('scimmy')).divergences).toEqual([])
  const dead = await storage.deliveries.list({ state: 'dead', recipient: 'scimmy', before: undefined, limit: 10 })
  expect(dead).toEqual([])
})
