import { providerId, userId, type ScimStorage } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, test } from 'vitest'

import { userSchema } from '../../src/engine.ts'
import { overtake } from '../fixtures/overtake.ts'
import { idOf, issuer, startScim, type ScimUnderTest } from '../fixtures/scim-under-test.ts'

// An administrator disables a provider while the server processes a request of the provider.

const kim = { schemas: [userSchema.id], userName: 'kim', externalId: 'k1' }
const T1 = providerId('T1')

async function disable({ identityProviders }: ScimStorage): Promise<void> {
  const provider = await identityProviders.find(T1)
  if (provider === undefined) throw new TypeError('The provider does not exist.')
  await identityProviders.compareAndSwap({ ...provider, disabledAt: provider.createdAt }, provider.version)
}

/** Starts a server whose provider is disabled right before the first call of the method. */
async function startDisabledBefore(method: 'insert' | 'compareAndSwap' | 'adopt') {
  const storage = createMemoryStorage({ issuer })
  await storage.users.insert({ userId: userId('host'), claims: {}, createdAt: (await startScim()).clock.now() })
  const scim = await startScim({ storage })
  const provisionedUsers = overtake(storage.provisionedUsers, method, () => disable(storage))
  const link = async () => (method === 'adopt' ? userId('host') : undefined)
  return { scim, overtaken: scim.startAnother({ storage: { ...storage, provisionedUsers }, link }) }
}

const lastReason = ({ events }: ScimUnderTest) => events.findLast((event) => event.type === 'request.refused')?.reason

test('blocks a user whom a POST created after the provider was disabled (RFC 6750 §3.1)', async () => {
  const { scim, overtaken } = await startDisabledBefore('insert')

  expect((await overtaken.send({ method: 'POST', path: '/Users', body: kim })).status).toBe(401)

  expect(lastReason(scim)).toBe('provider_disabled')
  const user = await scim.storage.provisionedUsers.findByExternalId(T1, 'k1')
  expect(user).toMatchObject({ active: false, blockedAt: scim.clock.now() })
})

test('blocks a user whom a PATCH reactivated after the provider was disabled (RFC 6750 §3.1)', async () => {
  const { scim, overtaken } = await startDisabledBefore('compareAndSwap')
  const id = idOf(await scim.send({ method: 'POST', path: '/Users', body: { ...kim, active: false } }))

  const body = {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [{ op: 'replace', path: 'active', value: true }],
  }
  expect((await overtaken.send({ method: 'PATCH', path: `/Users/${id}`, body })).status).toBe(401)

  expect(lastReason(scim)).toBe('provider_disabled')
  expect(await scim.storage.users.find(userId(id))).toMatchObject({ active: false, blockedAt: scim.clock.now() })
})

test('keeps a user active who was active before the provider was disabled', async () => {
  for (const method of ['compareAndSwap', 'adopt'] as const) {
    const { scim, overtaken } = await startDisabledBefore(method)
    if (method === 'adopt') {
      await overtaken.send({ method: 'POST', path: '/Users', body: kim })
      expect(await scim.storage.users.find(userId('host'))).toMatchObject({ active: true, providerId: T1 })
      continue
    }
    const id = idOf(await scim.send({ method: 'POST', path: '/Users', body: kim }))
    await overtaken.send({ method: 'PUT', path: `/Users/${id}`, body: { ...kim, title: 'Dr.' } })
    expect(await scim.storage.users.find(userId(id))).toMatchObject({ active: true, blockedAt: undefined })
  }
})

test('stops a Bulk request at the operation during which the provider is disabled (RFC 6750 §3.1)', async () => {
  const { scim, overtaken } = await startDisabledBefore('insert')
  const Operations = ['kim', 'lou', 'mia'].map((userName) => ({
    method: 'POST',
    path: '/Users',
    bulkId: userName,
    data: { schemas: [userSchema.id], userName, externalId: userName },
  }))

  const body = { schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'], Operations }
  const answer = await overtaken.send({ method: 'POST', path: '/Bulk', body })

  expect(answer.body?.['Operations']).toEqual([expect.objectContaining({ bulkId: 'kim', status: '401' })])
  expect(lastReason(scim)).toBe('provider_disabled')
  expect(await scim.storage.provisionedUsers.findByExternalId(T1, 'kim')).toMatchObject({ active: false })
  for (const name of ['lou', 'mia'])
    expect(await scim.storage.provisionedUsers.findByExternalId(T1, name)).toBeUndefined()
})

test('does not sign in a user whom the sign-in created after the provider was disabled', async () => {
  const storage = createMemoryStorage({ issuer })
  const provisionedUsers = overtake(storage.provisionedUsers, 'insert', () => disable(storage))
  const scim = await startScim({ storage: { ...storage, provisionedUsers } })

  const outcome = await scim.server.signInFromProvider({
    providerId: 'T1',
    externalId: 'k1',
    profile: { userName: 'kim' },
  })

  expect(outcome).toEqual({ outcome: 'provider_disabled' })
  expect(await storage.provisionedUsers.findByExternalId(T1, 'k1')).toMatchObject({ active: false })
})
