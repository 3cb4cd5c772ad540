import { clientId, epochSeconds, groupId, providerId, userId } from '@mintmark/storage-interface'
import { type IdentityProviderRecord, jsonText } from '@mintmark/storage-interface/stores'
import { describe, expect, test } from 'vitest'

import { groupSchema, userSchema } from '../../src/engine.ts'
import { addProviderSecret, revokePreviousProviderSecrets, type ScimServerOptions } from '../../src/index.ts'
import { overtake } from '../fixtures/overtake.ts'
import { startScim, type ScimRequest, type ScimUnderTest } from '../fixtures/scim-under-test.ts'

// A provider loses access while one of its requests waits for another, or while the server processes it.

const T1 = providerId('T1')
const kim = { schemas: [userSchema.id], userName: 'kim', externalId: 'k1' }
const staff = { schemas: [groupSchema.id], displayName: 'Staff', externalId: 'g1' }
const createStaff = { method: 'POST', path: '/Groups', body: staff }

/** Starts a server that processes one request at a time, and a first request that lasts until `finish` is called. */
async function startBusy(options: Partial<ScimServerOptions> = {}) {
  const { hook: link, arrived, go } = aPause()
  const scim = await startScim({ link, limits: { requestsAtOnce: 1 }, ...options })
  const first = scim.send({ method: 'POST', path: '/Users', body: kim })
  await arrived
  return {
    scim,
    finish: async () => {
      go()
      await first
    },
  }
}

/** A hook that reports when the server calls it first, and then waits. */
function aPause() {
  let arrive = (): void => {}
  const arrived = new Promise<void>((resolve) => void (arrive = resolve))
  let go = (): void => {}
  const isFree = new Promise<void>((resolve) => void (go = resolve))
  const hook = async (): Promise<undefined> => {
    arrive()
    await isFree
  }
  return { hook, arrived, go }
}

/** Sends a request that waits for another. */
async function sendWaiting(scim: ScimUnderTest, sent: ScimRequest) {
  const reply = scim.send(sent)
  // During these turns, the server authenticates the request, which then waits.
  for (let turn = 0; turn < 30; turn += 1) await Promise.resolve()
  return { reply }
}

async function change({ storage }: ScimUnderTest, changed: Partial<IdentityProviderRecord>): Promise<void> {
  const provider = await storage.identityProviders.find(T1)
  if (provider === undefined) throw new TypeError('The provider does not exist.')
  await storage.identityProviders.compareAndSwap({ ...provider, ...changed }, provider.version)
}

async function rotateSecret({ storage, clock }: ScimUnderTest): Promise<string> {
  const secret = await addProviderSecret('T1', {}, { storage, clock: () => clock.now() })
  await revokePreviousProviderSecrets('T1', { storage })
  return secret
}

/** Creates a group of users whose representation is so large that few are made at the same time. */
async function createLargeGroup({ storage, clock }: ScimUnderTest): Promise<void> {
  const memberIds: string[] = []
  for (let number = 0; number < 300; number += 1) {
    const id = userId(`user-${number}`)
    memberIds.push(id)
    const state = { active: true, externalId: undefined, resource: jsonText({}), comparable: {}, claims: {} }
    const { outcome } = await storage.provisionedUsers.insert({
      providerId: T1,
      userId: id,
      state: { ...state, renderKey: undefined },
      createdAt: clock.now(),
    })
    expect(outcome).toBe('inserted')
  }
  const state = { externalId: undefined, displayName: 'Large', resource: { displayName: 'Large' }, comparable: {} }
  await storage.groups.insert({ providerId: T1, groupId: groupId('large'), state, memberIds, createdAt: clock.now() })
}

const groupOf = ({ storage }: ScimUnderTest) => storage.groups.findByExternalId(T1, 'g1')

describe('a request that waits', () => {
  test.each<[string, string, (scim: ScimUnderTest) => Promise<unknown>]>([
    ['the provider is disabled', 'provider_disabled', (scim) => change(scim, { disabledAt: scim.clock.now() })],
    ['its secret is revoked', 'secret_unknown', rotateSecret],
    [
      'its secret expires',
      'secret_expired',
      async (scim) => {
        const secrets = (await scim.storage.identityProviders.find(T1))?.secrets ?? []
        await change(scim, { secrets: secrets.map((secret) => ({ ...secret, expiresAt: scim.clock.now() })) })
      },
    ],
    [
      'the provider is removed',
      'secret_unknown',
      ({ storage, clock }) => storage.identityProviders.remove(T1, clock.now()),
    ],
  ])('is refused if %s meanwhile (RFC 6750 §3.1)', async (_, reason, revoke) => {
    const { scim, finish } = await startBusy()
    const { reply } = await sendWaiting(scim, createStaff)

    await revoke(scim)
    scim.clock.advance(1)
    await finish()

    expect((await reply).status).toBe(401)
    expect(scim.lastReason()).toBe(reason)
    expect(await groupOf(scim)).toBeUndefined()
  })

  test('is processed if another secret is revoked meanwhile', async () => {
    const { scim, finish } = await startBusy()
    const { storage } = scim
    await addProviderSecret('T1', {}, { storage, clock: () => scim.clock.now() })
    const { reply } = await sendWaiting(scim, createStaff)

    const secrets = (await storage.identityProviders.find(T1))?.secrets ?? []
    await change(scim, { secrets: secrets.slice(0, 1) })
    scim.clock.advance(1)
    await finish()

    expect((await reply).status).toBe(201)
  })

  const token = { subject: 'ann', clientId: clientId('oin'), scopes: ['scim'], expiresAt: epochSeconds(2_000_000_000) }

  test.each<[string, number, string, (access: Access, scim: ScimUnderTest) => unknown]>([
    ['its access token is revoked', 401, 'access_token_invalid', (access) => (access.isActive = false)],
    [
      'its client is taken from the provider',
      403,
      'client_not_of_provider',
      (_, scim) => change(scim, { clientIds: [] }),
    ],
    [
      'its user is no longer an administrator',
      403,
      'user_not_of_provider',
      (access) => (access.isAdministrator = false),
    ],
  ])('is refused if %s meanwhile (RFC 6750 §3.1)', async (_, status, reason, revoke) => {
    const access = { isActive: true, isAdministrator: true }
    const { scim, finish } = await startBusy({
      accessTokens: { accessToken: async () => (access.isActive ? token : undefined) },
      mayProvision: () => access.isAdministrator,
    })
    await change(scim, { clientIds: [token.clientId] })
    const { reply } = await sendWaiting(scim, { ...createStaff, authorization: 'Bearer token' })

    await revoke(access, scim)
    scim.clock.advance(1)
    await finish()

    expect((await reply).status).toBe(status)
    expect(scim.lastReason()).toBe(reason)
    expect(await groupOf(scim)).toBeUndefined()
  })
})

test('refuses a request whose secret is revoked while its response waits for memory (RFC 6750 §3.1)', async () => {
  const scim = await startScim()
  await createLargeGroup(scim)
  const { hook, arrived, go } = aPause()
  const groups = overtake(scim.storage.groups, 'membersOf', hook)
  const other = scim.startAnother({ storage: { ...scim.storage, groups }, limits: { bytesAtOnce: 100_000 } })
  const first = other.send({ path: '/Groups/large' })
  await arrived
  const { reply } = await sendWaiting({ ...scim, ...other }, { path: '/Groups/large' })

  await rotateSecret(scim)
  scim.clock.advance(1)
  go()

  expect((await first).status).toBe(200)
  expect((await reply).status).toBe(401)
  expect(scim.lastReason()).toBe('secret_unknown')
})

test('answers a request for a small user while a large response fills the memory (RFC 9110 §15.6.4)', async () => {
  const scim = await startScim()
  await createLargeGroup(scim)
  const { hook, arrived, go } = aPause()
  const groups = overtake(scim.storage.groups, 'membersOf', hook)
  const other = scim.startAnother({ storage: { ...scim.storage, groups }, limits: { totalBytesAtOnce: 1000 } })
  const large = other.send({ path: '/Groups/large' })
  await arrived

  const small = await other.send({ path: '/Users/user-1' })

  expect(small).toMatchObject({ status: 200, body: { groups: [{ value: 'large' }] } })
  go()
  expect((await large).status).toBe(200)
})

interface Access {
  isActive: boolean
  isAdministrator: boolean
}

test('stops a Bulk request at the next operation after its secret is revoked (RFC 6750 §3.1)', async () => {
  const { hook: link, arrived, go } = aPause()
  const scim = await startScim({ link })
  const create = (path: string, data: object) => ({ method: 'POST', path, bulkId: path, data })
  const reply = scim.send({
    method: 'POST',
    path: '/Bulk',
    body: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
      Operations: [create('/Users', kim), create('/Groups', staff)],
    },
  })
  await arrived

  const secret = await rotateSecret(scim)
  scim.clock.advance(1)
  go()

  expect((await reply).status).toBe(401)
  expect(scim.lastReason()).toBe('secret_unknown')
  expect(await groupOf(scim)).toBeUndefined()
  expect((await scim.send({ ...createStaff, authorization: `Bearer ${secret}` })).status).toBe(201)
})
