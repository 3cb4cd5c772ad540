import { epochSeconds, seconds, userId, type UserRecord } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, expectTypeOf, it } from 'vitest'

import type { AuthenticatedClient } from '../clients/authenticate.ts'
import { registerClient } from '../clients/registration.ts'
import type { VerifiedAccessToken } from './access-token.ts'
import { grantForUser, type GrantDecision, type GrantEvidence, type UserDecision } from './grant.ts'
import type { RotatedFamily } from '../token/grants/refresh-token.ts'
import type { ProvenVerifier, RedeemedCode } from '../token/grants/authorization-code.ts'

// The type check makes these assertions.

it('mints tokens only with the evidence of a grant', () => {
  expectTypeOf<RedeemedCode>().toExtend<GrantEvidence>()
  expectTypeOf<RotatedFamily>().toExtend<GrantEvidence>()
  expectTypeOf<GrantDecision['evidence']>().toEqualTypeOf<GrantEvidence>()
})

it('does not accept a plain object or the evidence of another check as the evidence of a grant', () => {
  expectTypeOf<object>().not.toExtend<GrantEvidence>()
  expectTypeOf<AuthenticatedClient>().not.toExtend<GrantEvidence>()
  expectTypeOf<ProvenVerifier>().not.toExtend<GrantEvidence>()
  expectTypeOf<VerifiedAccessToken>().not.toExtend<GrantEvidence>()
})

it('mints tokens about a user only after the status of the user was checked', () => {
  expectTypeOf<UserRecord>().not.toExtend<UserDecision['user']>()
})

const now = epochSeconds(1_900_000_000)

async function aStorageWithUser() {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  const { client } = await registerClient({ clientName: 'Kiosk', grantTypes: [] }, { storage })
  await storage.users.insert({ userId: userId('U1'), claims: {}, createdAt: now })
  const userGrant = (subject: string) => ({
    // The brand of an authenticated client.
    client: client as AuthenticatedClient,
    signedIn: { subject, authTime: now, amr: ['hwk'] },
    scopes: ['openid'],
    lifetime: seconds(300),
  })
  return { storage, userGrant }
}

it('stores a grant and a token family for an extension grant about a user (RFC 6749 §4.5)', async () => {
  const { storage, userGrant } = await aStorageWithUser()

  const first = await grantForUser(userGrant('U1'), now, { storage })
  const second = await grantForUser(userGrant('U1'), now, { storage })

  const status = await storage.status.ofFamily(first.familyId)
  expect(first).toMatchObject({ user: { userId: 'U1' }, authentication: { authTime: now, amr: ['hwk'] } })
  expect(status).toMatchObject({
    family: { expiresAt: now + 300, refresh: undefined, scopes: ['openid'] },
    grant: { grantId: first.grantId },
  })
  expect([second.grantId === first.grantId, second.familyId === first.familyId]).toEqual([true, false])
})

it.each([
  ['a deactivated', 'U1'],
  ['an unknown', 'nobody'],
])('refuses a grant about %s user (RFC 6749 §5.2)', async (_case, subject) => {
  const { storage, userGrant } = await aStorageWithUser()
  await storage.users.deactivate(userId('U1'), now)

  await expect(grantForUser(userGrant(subject), now, { storage })).rejects.toMatchObject({
    code: 'invalid_grant',
    reason: 'grant_refused',
  })

  expect(await storage.grants.listByUser(userId(subject))).toEqual([])
})

it.each<readonly [string, object, object]>([
  ['lifetime', { lifetime: Number.NaN }, {}],
  ['lifetime', { lifetime: Infinity }, {}],
  ['scopes', { scopes: 'api.read' }, {}],
  ['resources', { resources: [] }, {}],
  ['user', {}, { user: {} }],
  ['users', {}, { users: { find: 'U1' } }],
])('refuses a grant with an impossible or unknown %s (%j, %j), and stores nothing', async (name, change, more) => {
  const { storage, userGrant } = await aStorageWithUser()

  const granting = grantForUser({ ...userGrant('U1'), ...change }, now, { storage, ...more })

  await expect(granting).rejects.toThrow(`grantForUser: ${name}`)
  expect(await storage.grants.listByUser(userId('U1'))).toEqual([])
})

it('refuses a grant about a user who was deactivated and reactivated meanwhile (RFC 6749 §5.2)', async () => {
  const { storage, userGrant } = await aStorageWithUser()
  const before = await storage.users.find(userId('U1'))
  await storage.users.deactivate(userId('U1'), now)
  await storage.users.reactivate(userId('U1'), now)
  const newer = await grantForUser(userGrant('U1'), now, { storage })
  const staleStorage = { ...storage, users: { ...storage.users, find: () => Promise.resolve(before) } }

  await expect(grantForUser(userGrant('U1'), now, { storage: staleStorage })).rejects.toMatchObject({
    code: 'invalid_grant',
    reason: 'grant_refused',
  })

  expect(await storage.grants.listByUser(userId('U1'))).toMatchObject([{ grantId: newer.grantId }])
})

it('refuses a grant about a user whose record lost its generation in storage (RFC 6749 §5.2)', async () => {
  const { storage, userGrant } = await aStorageWithUser()
  const { generation: _lost, ...user } = (await storage.users.find(userId('U1'))) as UserRecord
  const lossyStorage = { ...storage, users: { ...storage.users, find: () => Promise.resolve(user as UserRecord) } }

  await expect(grantForUser(userGrant('U1'), now, { storage: lossyStorage })).rejects.toMatchObject({
    code: 'invalid_grant',
    reason: 'grant_refused',
  })
})
