import { clientId, epochSeconds, providerId } from '@mintmark/storage-interface'
import { describe, expect, test } from 'vitest'

import type { ScimServerOptions } from '../../src/index.ts'
import { type ScimReply, type ScimUnderTest, startScim } from '../fixtures/scim-under-test.ts'

// One client in the identity provider's catalogue serves all customers, and an administrator of each customer consents to it.

const token = { subject: 'ann', clientId: clientId('oin'), scopes: ['scim'], expiresAt: epochSeconds(2_000_000_000) }

type Hook = NonNullable<ScimServerOptions['mayProvision']>

async function startWith(mayProvision: Hook | undefined, given: Partial<typeof token> = {}): Promise<ScimUnderTest> {
  const scim = await startScim({
    accessTokens: { accessToken: async () => ({ ...token, ...given }) },
    ...(mayProvision === undefined ? {} : { mayProvision }),
  })
  for (const id of ['T1', 'T2']) {
    const provider = await scim.storage.identityProviders.find(providerId(id))
    if (provider === undefined) throw new TypeError(`${id} does not exist.`)
    await scim.storage.identityProviders.compareAndSwap({ ...provider, clientIds: [token.clientId] }, provider.version)
  }
  return scim
}

const create = (scim: ScimUnderTest, provider = 'T1'): Promise<ScimReply> =>
  scim.send({
    method: 'POST',
    path: '/Users',
    provider,
    authorization: 'Bearer token',
    body: { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'kim' },
  })

/** Returns the number of users, read with the secret of the provider. */
const countUsers = async (scim: ScimUnderTest, provider = 'T1'): Promise<unknown> =>
  (await scim.send({ path: '/Users?count=0', provider })).body?.['totalResults']

describe('an access token that a user gave to a client of a provider', () => {
  test('provisions for the provider whose administrator the user is (RFC 7644 §2)', async () => {
    const asked: unknown[] = []
    const scim = await startWith((consent) => {
      asked.push(consent)
      return consent.userId === 'ann' && consent.providerId === 'T1'
    })

    expect(await create(scim)).toMatchObject({ status: 201 })
    expect(asked).toEqual([{ providerId: 'T1', userId: 'ann', clientId: 'oin' }])
  })

  test('is refused at the tenant URL of another customer, even if both use the same client (RFC 7644 §6)', async () => {
    const scim = await startWith(({ userId, providerId: id }) => userId === 'ann' && id === 'T1')

    expect(await create(scim, 'T2')).toMatchObject({ status: 403 })
    expect(scim.lastReason()).toBe('user_not_of_provider')
    expect(await countUsers(scim, 'T2')).toBe(0)
  })

  test('is refused as soon as the user is no longer an administrator', async () => {
    let isAdministrator = true
    const scim = await startWith(async () => isAdministrator)
    expect(await create(scim)).toMatchObject({ status: 201 })

    isAdministrator = false

    expect(await create(scim)).toMatchObject({ status: 403 })
    expect(scim.lastReason()).toBe('user_not_of_provider')
  })

  test.each<[string, Hook | undefined, Partial<typeof token>, string]>([
    ['without the hook mayProvision', undefined, {}, 'scope_missing'],
    ['without the scope scim', async () => true, { scopes: ['openid'] }, 'scope_missing'],
    [
      'if its client belongs to no provider',
      async () => true,
      { clientId: clientId('other') },
      'client_not_of_provider',
    ],
  ])('is refused %s (RFC 6750 §3.1)', async (_, mayProvision, given, reason) => {
    const scim = await startWith(mayProvision, given)

    expect(await create(scim)).toMatchObject({ status: 403 })
    expect(scim.lastReason()).toBe(reason)
    expect(await countUsers(scim)).toBe(0)
  })

  test('is refused at the tenant URL of an unknown provider (RFC 7644 §6)', async () => {
    const scim = await startWith(async () => true)

    expect(await create(scim, 'T9')).toMatchObject({ status: 403 })
    expect(scim.lastReason()).toBe('client_not_of_provider')
  })

  test('is refused if the provider is disabled (RFC 7644 §6)', async () => {
    const scim = await startWith(async () => true)
    const provider = await scim.storage.identityProviders.find(providerId('T1'))
    if (provider === undefined) throw new TypeError('T1 does not exist.')
    await scim.storage.identityProviders.compareAndSwap({ ...provider, disabledAt: scim.clock.now() }, provider.version)

    expect(await create(scim)).toMatchObject({ status: 403 })
    expect(scim.lastReason()).toBe('client_not_of_provider')
  })

  test('the hook decides only about users: a token that a client got for itself is accepted (RFC 7644 §2)', async () => {
    const scim = await startWith(() => false, { subject: 'oin' })

    expect(await create(scim)).toMatchObject({ status: 201 })
  })
})
