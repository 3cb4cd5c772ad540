import { clientId, familyId, grantId, keyId, providerId, sessionId, userId, seconds } from '../../values.ts'
import type { Revocation } from '../../revocation.ts'
import type { OAuthStorage, ScimStorage } from '../../storage.ts'
import {
  aClientRecord,
  aDigest,
  aFamilyRecord,
  aGrantRecord,
  aJoin,
  aSessionEnd,
  aSessionRecord,
  aSigningKeyRecord,
  aUser,
  now,
  nowPlus,
} from '../fixtures.ts'
import { type StorageLaw, law } from '../law.ts'
import { aProvisionedState, aProvisionedUser } from '../provisioning-fixtures.ts'

/** Returns all revocations in the store, in order. */
export async function allRevocations({ revocations }: OAuthStorage): Promise<readonly Revocation[]> {
  const { records } = await revocations.list({ from: undefined, revokedSince: nowPlus(-100_000), limit: 1000 })
  return records.map((record) => record.revocation)
}

/** Each method that revokes something records one revocation in the same step; no other method records one. */
export const revocationLaws: readonly StorageLaw[] = [
  revocation(
    'records a token that revokeToken revokes',
    [{ kind: 'token', tokenId: 'jti-1' }],
    async ({ revocations }) => {
      await revocations.revokeToken({ tokenId: 'jti-1', expiresAt: nowPlus(600), now })
      await revocations.revokeToken({ tokenId: 'jti-1', expiresAt: nowPlus(600), now: nowPlus(1) })
    },
  ),

  revocation('records a family that is revoked', [ofFamily('family-1')], async ({ families }) => {
    await families.revoke(familyId('family-1'), now)
    await families.revoke(familyId('family-1'), nowPlus(1))
    await families.revoke(familyId('none'), now)
  }),

  revocation('records a family whose refresh token is reused', [ofFamily('family-1')], async ({ families }) => {
    const rotation = {
      handleDigest: aDigest('handle-1'),
      clientId: client,
      successorSalt: 's',
      expiresAt: nowPlus(60),
      now,
      retryWindow: seconds(0),
    }
    for (const next of ['refresh-2', 'refresh-3', 'refresh-4']) {
      await families.rotate({ ...rotation, presentedDigest: aDigest('refresh-1'), successorDigest: aDigest(next) })
    }
  }),

  revocation(
    'records a family that gets a tombstone, inserted before or not',
    [ofFamily('family-1'), ofFamily('new')],
    async ({ families }) => {
      await families.insertTombstone(aFamilyRecord(), now)
      await families.insertTombstone(aFamilyRecord(), nowPlus(1))
      await families.insertTombstone(aFamilyRecord({ familyId: familyId('new'), refresh: undefined }), now)
    },
  ),

  revocation(
    'records a grant that is revoked',
    [{ kind: 'grant', grantId: grantId('grant-1') }],
    async ({ grants }) => {
      const change = { scopes: [], resources: [], authorizationDetails: [], clientDigest: undefined, version: 1 }
      await grants.replaceConsent({ ...change, grantId: grantId('grant-1') })
      await grants.revoke(grantId('grant-1'), now)
      await grants.revoke(grantId('grant-1'), nowPlus(1))
      await grants.revoke(grantId('none'), now)
    },
  ),

  revocation(
    'records a session that is revoked, stored or not',
    [ofSession('session-1'), ofSession('new')],
    async ({ sessions }) => {
      await sessions.insert(aSessionRecord())
      await sessions.join(aJoin())
      for (const at of [now, nowPlus(1)]) await sessions.revoke(aSessionEnd({ now: at }))
      const unseen = aSessionEnd({ sessionId: sessionId('new'), tombstoneUntil: nowPlus(60) })
      for (const at of [now, nowPlus(1)]) await sessions.revoke({ ...unseen, now: at })
      await sessions.revoke(aSessionEnd({ sessionId: sessionId('none') }))
    },
  ),

  revocation(
    'records the sessions of a user who is signed out everywhere',
    [ofSession('session-1')],
    async ({ sessions }) => {
      await sessions.insert(aSessionRecord())
      await sessions.join(aJoin({ sessionId: sessionId('session-2'), userId: userId('user-2') }))
      for (const at of [now, nowPlus(1)]) await sessions.revokeOfUser(userId('user-1'), 'user', at)
    },
  ),

  revocation(
    'records the generation of a user who is deactivated, and a user who is removed',
    [generation('user-1', 0), generation('user-1', 1), { kind: 'account', userId: userId('user-1') }],
    async ({ users }) => {
      await users.deactivate(userId('user-1'), now)
      await users.deactivate(userId('user-1'), now)
      await users.reactivate(userId('user-1'), now)
      await users.replaceClaims({ userId: userId('user-1'), claims: {}, version: 3, now })
      await users.deactivate(userId('user-1'), now)
      await users.remove(userId('user-1'), now)
      await users.remove(userId('user-1'), now)
    },
  ),

  revocation(
    'records each generation of a user whose access is revoked',
    [generation('user-1', 0), generation('user-1', 1)],
    async ({ users }) => {
      await users.revokeAccess(userId('user-1'), now)
      await users.revokeAccess(userId('unknown'), now)
      await users.revokeAccess(userId('user-1'), nowPlus(1))
    },
  ),

  revocation(
    'records that a client is disabled, enabled again and removed',
    [ofClient('client'), ofClient('client_in_use'), ofClient('client')],
    async ({ clients }) => {
      const changes = [{ clientName: 'Other' }, { disabledAt: now }, { disabledAt: now, clientName: 'Third' }, {}, {}]
      for (const [index, change] of changes.entries()) await clients.compareAndSwap(aClientRecord(change), index + 1)
      await clients.compareAndSwap(aClientRecord({ disabledAt: now }), 1)
      for (const time of [now, nowPlus(1)]) await clients.remove(client, time)
    },
  ),

  revocation(
    'records a signing key that is dropped',
    [{ kind: 'key', keyId: keyId('key-1') }],
    async ({ signingKeys }) => {
      await signingKeys.insert(aSigningKeyRecord({ keyId: keyId('key-1') }))
      await signingKeys.drop({ keyId: keyId('key-1'), droppedAt: now, rowMac: undefined })
      await signingKeys.drop({ keyId: keyId('key-1'), droppedAt: nowPlus(1), rowMac: undefined })
      await signingKeys.drop({ keyId: keyId('none'), droppedAt: now, rowMac: undefined })
    },
  ),

  law('revocations: a token that revokeToken revoked stays revoked until it expires', async ({ storage, same }) => {
    same(await storage.revocations.isTokenRevoked('jti-1', now), false, 'before')
    await storage.revocations.revokeToken({ tokenId: 'jti-1', expiresAt: nowPlus(60), now })
    await storage.revocations.revokeToken({ tokenId: 'jti-1', expiresAt: nowPlus(9), now })

    same(await storage.revocations.isTokenRevoked('jti-1', nowPlus(59)), true, 'until then')
    same(await storage.revocations.isTokenRevoked('jti-1', nowPlus(60)), false, 'from then on')
    same(await storage.revocations.isTokenRevoked('JTI-1', now), false, 'another token')
  }),
]

/** The same rule for the methods of `ProvisionedUserStore`. */
export const provisioningRevocationLaws: readonly StorageLaw<ScimStorage>[] = [
  revocation<ScimStorage>(
    'records a user whom the provider deactivates and removes',
    [generation('user-ada', 0), { kind: 'account', userId: userId('user-ada') }],
    async ({ provisionedUsers }) => {
      await provisionedUsers.insert(aProvisionedUser('ada'))
      for (const [version, active] of [true, false, false, true].entries()) {
        await provisionedUsers.compareAndSwap({
          ...ada,
          version: version + 1,
          state: aProvisionedState('ada', { active }),
          now,
        })
      }
      await provisionedUsers.compareAndSwap({
        ...ada,
        version: 1,
        state: aProvisionedState('ada', { active: false }),
        now,
      })
      for (const version of [1, undefined, undefined]) await provisionedUsers.remove({ ...ada, version, now })
    },
  ),

  revocation<ScimStorage>(
    'records a user who is adopted as inactive, and each user who is released',
    [generation('user-1', 0), generation('user-1', 1), generation('user-ada', 0)],
    async ({ provisionedUsers }) => {
      await provisionedUsers.insert(aProvisionedUser('ada'))
      const adopted = { providerId: providerId('provider-1'), userId: userId('user-1') }
      await provisionedUsers.adopt({ ...adopted, version: 1, state: aProvisionedState('ann', { active: false }), now })
      for (const gone of [adopted, ada]) await provisionedUsers.release({ ...gone, version: undefined, now })
    },
  ),
]

/** Returns a law about the revocations that a method records, in a store with a client, a user, a grant and a family. */
function revocation<Storage extends OAuthStorage = OAuthStorage>(
  subject: string,
  expected: readonly Revocation[],
  revoke: (storage: Storage) => Promise<void>,
): StorageLaw<Storage> {
  return law<Storage>(`revocations: ${subject}`, async ({ storage, server, same }) => {
    await storage.clients.insert(aClientRecord())
    await storage.users.insert(aUser())
    await storage.grants.insert(aGrantRecord())
    await storage.families.insert(aFamilyRecord())
    same(await allRevocations(storage), [], 'before')

    await revoke(storage)

    same(await allRevocations(server(1)), expected, 'what another server reads')
  })
}

function generation(id: string, number: number): Revocation {
  return { kind: 'generation', userId: userId(id), generation: number }
}

function ofFamily(id: string): Revocation {
  return { kind: 'family', familyId: familyId(id) }
}

function ofSession(id: string): Revocation {
  return { kind: 'session', sessionId: sessionId(id) }
}

function ofClient(kind: 'client' | 'client_in_use'): Revocation {
  return { kind, clientId: clientId('client-1') }
}

const client = clientId('client-1')
const ada = { providerId: providerId('provider-1'), userId: userId('user-ada') }
