import type { Revocation } from '../../revocation.ts'
import { clientId, familyId, grantId, providerId, userId } from '../../identifiers.ts'
import type { OAuthStorage, ScimStorage } from '../../storage.ts'
import { seconds } from '../../time.ts'
import { toldIn } from '../listed-revocations.ts'
import { law, type StorageLaw } from '../law.ts'
import { aClientRecord } from '../records/a-client.ts'
import { aDigest } from '../records/a-digest.ts'
import { aFamilyRecord } from '../records/a-family.ts'
import { aGrantRecord } from '../records/a-grant.ts'
import { aProvisionedState, aProvisionedUser } from '../records/a-provisioned-user.ts'
import { aUser } from '../records/a-user.ts'
import { now, nowPlus } from '../records/moments.ts'

/** What ends is written where it ends: each verb that ends something, and nothing else, makes one entry. */
export const revocationLaws: readonly StorageLaw[] = [
  ending('a token that is ended by itself', [{ kind: 'token', tokenId: 'jti-1' }], async ({ revocations: endings }) => {
    await endings.revokeToken({ tokenId: 'jti-1', expiresAt: nowPlus(600), now })
    await endings.revokeToken({ tokenId: 'jti-1', expiresAt: nowPlus(600), now: nowPlus(1) })
  }),

  ending('a family that is revoked', [ofFamily('family-1')], async ({ families }) => {
    await families.revoke(familyId('family-1'), now)
    await families.revoke(familyId('family-1'), nowPlus(1))
    await families.revoke(familyId('none'), now)
  }),

  ending('a family whose refresh token is used again', [ofFamily('family-1')], async ({ families }) => {
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

  ending(
    'a family that is buried, written before or not',
    [ofFamily('family-1'), ofFamily('new')],
    async ({ families }) => {
      await families.insertTombstone(aFamilyRecord(), now)
      await families.insertTombstone(aFamilyRecord(), nowPlus(1))
      await families.insertTombstone(aFamilyRecord({ familyId: familyId('new'), refresh: undefined }), now)
    },
  ),

  ending('a grant that is revoked', [{ kind: 'grant', grantId: grantId('grant-1') }], async ({ grants }) => {
    await grants.replaceScopes({ grantId: grantId('grant-1'), scopes: [], version: 1 })
    await grants.revoke(grantId('grant-1'), now)
    await grants.revoke(grantId('grant-1'), nowPlus(1))
    await grants.revoke(grantId('none'), now)
  }),

  ending(
    'an account that is deactivated, by its generation, and one that is removed',
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

  ending(
    'a client that is disabled, is in use again, and is removed',
    [ofClient('client'), ofClient('client_in_use'), ofClient('client')],
    async ({ clients }) => {
      const changes = [{ clientName: 'Other' }, { disabledAt: now }, { disabledAt: now, clientName: 'Third' }, {}, {}]
      for (const [index, change] of changes.entries()) await clients.compareAndSwap(aClientRecord(change), index + 1)
      await clients.compareAndSwap(aClientRecord({ disabledAt: now }), 1)
      for (const time of [now, nowPlus(1)]) await clients.remove(client, time)
    },
  ),

  law('endings: a token that was ended by itself has ended until it expires', async ({ storage, same }) => {
    same(await storage.revocations.isTokenRevoked('jti-1', now), false, 'before')
    await storage.revocations.revokeToken({ tokenId: 'jti-1', expiresAt: nowPlus(60), now })
    await storage.revocations.revokeToken({ tokenId: 'jti-1', expiresAt: nowPlus(9), now })

    same(await storage.revocations.isTokenRevoked('jti-1', nowPlus(59)), true, 'until then')
    same(await storage.revocations.isTokenRevoked('jti-1', nowPlus(60)), false, 'from then on')
    same(await storage.revocations.isTokenRevoked('JTI-1', now), false, 'another token')
  }),
]

/** The same for the verbs of identity providers. */
export const provisioningRevocationLaws: readonly StorageLaw<ScimStorage>[] = [
  ending<ScimStorage>(
    'an account that its provider deactivates, and removes',
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

  ending<ScimStorage>(
    'an account that a provider takes over as not active, and each that a provider lets go of',
    [generation('user-1', 0), generation('user-1', 1), generation('user-ada', 0)],
    async ({ provisionedUsers }) => {
      await provisionedUsers.insert(aProvisionedUser('ada'))
      const adopted = { providerId: providerId('provider-1'), userId: userId('user-1') }
      await provisionedUsers.adopt({ ...adopted, version: 1, state: aProvisionedState('ann', { active: false }), now })
      for (const gone of [adopted, ada]) await provisionedUsers.release({ ...gone, version: undefined, now })
    },
  ),
]

/** A law about what a verb writes, in a store with a client, a user, a grant and a family. */
function ending<Storage extends OAuthStorage = OAuthStorage>(
  subject: string,
  expected: readonly Revocation[],
  revoke: (storage: Storage) => Promise<void>,
): StorageLaw<Storage> {
  return law<Storage>(`endings: ${subject}`, async ({ storage, server, same }) => {
    await storage.clients.insert(aClientRecord())
    await storage.users.insert(aUser())
    await storage.grants.insert(aGrantRecord())
    await storage.families.insert(aFamilyRecord())
    same(await toldIn(storage), [], 'before')

    await revoke(storage)

    same(await toldIn(server(1)), expected, 'what another server reads')
  })
}

function generation(id: string, number: number): Revocation {
  return { kind: 'generation', userId: userId(id), generation: number }
}

function ofFamily(id: string): Revocation {
  return { kind: 'family', familyId: familyId(id) }
}

function ofClient(kind: 'client' | 'client_in_use'): Revocation {
  return { kind, clientId: clientId('client-1') }
}

const client = clientId('client-1')
const ada = { providerId: providerId('provider-1'), userId: userId('user-ada') }
