import { createHash } from 'node:crypto'

import {
  clientId,
  epochSeconds,
  familyId,
  grantId,
  providerId,
  seconds,
  StorageUnavailableError,
  userId,
  type Storage,
} from '@mintmark/storage-interface'
import { aClientRecord, aDigest, aFamilyRecord, aGrantRecord, aProvisionedState, aProvisionedUser, aUser } from '@mintmark/storage-interface/contract'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, it } from 'vitest'

import { inProcessRevocationFeed } from './in-process-revocation-feed.ts'

const now = epochSeconds(1_800_000_000)
const until = now + 7200
const [user, client] = [userId('user-1'), clientId('client-1')]
const account = createHash('sha256').update('user-1').digest('base64url')

/** A watched storage that holds a client, an account, a grant and a family, and what the feed has told since. */
async function aWatch(change: (storage: Storage) => Storage = (storage) => storage) {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  await storage.clients.insert(aClientRecord())
  await storage.users.insert(aUser())
  await storage.grants.insert(aGrantRecord())
  await storage.families.insert(aFamilyRecord())
  const feed = inProcessRevocationFeed(change(storage), { clock: () => now })
  return { storage: feed.storage, told: () => feed.read(undefined, now).endings }
}

const provisioned = aProvisionedUser('ada')
const ofProvider = { providerId: provisioned.providerId, userId: provisioned.userId }
const provisionedAccount = createHash('sha256').update(provisioned.userId).digest('base64url')
const removal = { ...ofProvider, version: undefined, now }

const setActive = async (storage: Storage, active: boolean): Promise<unknown> => {
  const record = await storage.provisionedUsers.find(ofProvider.providerId, ofProvider.userId)
  return storage.provisionedUsers.compareAndSwap({ ...ofProvider, version: record?.version ?? 0, state: aProvisionedState('ada', { active }), now })
}

describe('a watched storage tells what it ends', () => {
  it.each<readonly [string, (storage: Storage) => Promise<unknown>, readonly unknown[]]>([
    ['RFC 7009 §2.1: an access token', (at) => at.claims.claim({ purpose: 'revoked_jti', value: 'jti', expiresAt: now, now }), [['token', 'jti', until]]],
    ['RFC 7009 §2.1: a family', (at) => at.families.revoke(familyId('family-1'), now), [['family', 'family-1', until]]],
    ['RFC 6749 §4.1.2: a family whose code came twice', (at) => at.families.bury(aFamilyRecord({ familyId: familyId('f2'), refresh: undefined }), now), [['family', 'f2', until]]],
    ['design §4: a grant', (at) => at.grants.revoke(grantId('grant-1'), now), [['grant', 'grant-1', until]]],
    ['design §4: an account that is deactivated, by its generation', (at) => at.users.deactivate(user, now), [['account', `${account}.0`, until]]],
    ['design §4: an account that is removed', (at) => at.users.remove(user, now), [['account', account, until]]],
    ['design §4: a client that is disabled', (at) => at.clients.compareAndSwap(aClientRecord({ disabledAt: now }), 1), [['client', 'client-1', until]]],
    ['design §4: a client that is removed', (at) => at.clients.remove(client, now), [['client', 'client-1', until]]],
    ['a client that is in use', (at) => at.clients.compareAndSwap(aClientRecord(), 1), [['client', 'client-1', 0]]],
  ])('%s', async (_, end, endings) => {
    const { storage, told } = await aWatch()

    await end(storage)

    expect(told()).toEqual(endings)
  })

  it('RFC 9700 §4.14.2: a family whose refresh token was used twice', async () => {
    const { storage, told } = await aWatch()
    const rotation = { clientId: client, handleDigest: aDigest('handle-1'), successorSalt: 's', expiresAt: epochSeconds(now + 60), now, retryWindow: seconds(0) }

    await storage.families.rotate({ ...rotation, presentedDigest: aDigest('refresh-1'), successorDigest: aDigest('refresh-2') })
    const before = told()
    await storage.families.rotate({ ...rotation, presentedDigest: aDigest('refresh-1'), successorDigest: aDigest('refresh-3') })

    expect([before, told()]).toEqual([[], [['family', 'family-1', until]]])
  })

  it('again, when a caller repeats what it does not know to have succeeded', async () => {
    const { storage, told } = await aWatch()

    for (let count = 0; count < 2; count += 1) {
      await storage.users.deactivate(user, now)
      await storage.grants.revoke(grantId('grant-1'), now)
      await storage.families.revoke(familyId('family-1'), now)
    }

    expect(told().slice(3)).toEqual(told().slice(0, 3))
  })

  it('not what was not there, nor what failed', async () => {
    const { storage, told } = await aWatch()
    const broken = await aWatch((inner) => ({ ...inner, users: { ...inner.users, deactivate: () => Promise.reject(new StorageUnavailableError('down')) } }))

    await storage.users.deactivate(userId('nobody'), now)
    await storage.users.remove(userId('nobody'), now)
    await storage.clients.remove(clientId('nobody'), now)
    await storage.grants.revoke(grantId('none'), now)
    await storage.families.revoke(familyId('none'), now)
    await storage.clients.compareAndSwap(aClientRecord({ disabledAt: now }), 7)
    await storage.claims.claim({ purpose: 'client_assertion_jti', value: 'x', expiresAt: now, now })
    await expect(broken.storage.users.deactivate(user, now)).rejects.toThrow('down')

    expect([told(), broken.told()]).toEqual([[], []])
  })

  it('design §4: an account that its identity provider deactivates, releases or removes', async () => {
    const { storage, told } = await aWatch()
    await storage.provisionedUsers.insert(provisioned)

    await setActive(storage, true)
    const before = told()
    await setActive(storage, false)
    await setActive(storage, true)
    await setActive(storage, false)
    await storage.provisionedUsers.remove(removal)

    expect(before).toEqual([])
    expect(told().map(([, name]) => name)).toEqual([`${provisionedAccount}.0`, `${provisionedAccount}.1`, provisionedAccount])
  })

  it('design §4: every generation that has passed while an identity provider released an account', async () => {
    const { storage, told } = await aWatch((inner) => ({
      ...inner,
      provisionedUsers: {
        ...inner.provisionedUsers,
        async release(request) {
          await inner.users.deactivate(request.userId, now)
          await inner.users.reactivate(request.userId, now)
          return inner.provisionedUsers.release(request)
        },
      },
    }))
    await storage.provisionedUsers.insert(provisioned)

    await storage.provisionedUsers.release(removal)

    expect(told().map(([, name]) => name)).toEqual([`${provisionedAccount}.0`, `${provisionedAccount}.1`])
  })

  it('design §4: an account that an identity provider takes over as not active', async () => {
    const { storage, told } = await aWatch()

    await storage.provisionedUsers.adopt({ ...ofProvider, userId: user, version: 1, state: aProvisionedState('ada', { active: false }), now })

    expect(told().map(([, name]) => name)).toEqual([`${account}.0`])
  })

  it('not of another provider, and nothing of an account that was not released', async () => {
    const { storage, told } = await aWatch()
    await storage.provisionedUsers.insert(provisioned)

    await storage.provisionedUsers.release({ ...removal, providerId: providerId('other') })
    await storage.provisionedUsers.remove({ ...removal, version: 7 })

    expect(told()).toEqual([])
  })
})

describe('a watched storage', () => {
  it('is the storage in everything else, also where its stores are objects of a class', async () => {
    class Users {
      readonly #known = 'user-1'
      find(id: string) {
        return Promise.resolve(id === this.#known ? 'found' : undefined)
      }
    }
    const { storage } = await aWatch((inner) => ({ ...inner, users: new Users() as unknown as Storage['users'] }))

    expect(await storage.users.find(user)).toBe('found')
    expect(storage.issuer).toBe('https://as.test')
    expect(await storage.clients.find(client)).toEqual(aClientRecord())
  })

  it('knows every verb that changes something: whoever adds one decides here whether it ends what access tokens depend on', () => {
    const storage = createMemoryStorage({ issuer: 'https://as.test' })
    const stores = Object.entries({ ...storage, issuer: {} }) as readonly (readonly [string, object])[]

    const verbs = stores.flatMap(([name, store]) => Object.keys(store).map((verb) => `${name}.${verb}`))
    const unsorted = verbs.filter((verb) => !endings.includes(verb) && !endingNothing.includes(verb) && !addsOrReads.test(verb))

    expect(unsorted).toEqual([])
    expect(endings.filter((verb) => !verbs.includes(verb))).toEqual([])
  })
})

const endings = [
  'claims.claim',
  'clients.compareAndSwap',
  'clients.remove',
  'families.bury',
  'families.revoke',
  'families.rotate',
  'grants.revoke',
  'provisionedUsers.adopt',
  'provisionedUsers.compareAndSwap',
  'provisionedUsers.release',
  'provisionedUsers.remove',
  'users.deactivate',
  'users.remove',
]

/** Verbs that change or take away something, but no access token that a resource server reads by itself depends on it. */
const endingNothing = [
  'codes.consume',
  'grants.replaceScopes',
  'groups.change',
  'groups.remove',
  'identityProviders.compareAndSwap',
  'identityProviders.remove',
  'interactions.consume',
  'opaqueTokens.revoke',
  'organizations.compareAndSwap',
  'organizations.compareAndSwapMember',
  'organizations.remove',
  'organizations.removeMember',
  'purge.purgeExpired',
  'sessions.revoke',
  'signingKeys.drop',
  'signingKeys.remove',
  'users.reactivate',
  'users.replaceClaims',
]

/** By its name: nothing can end by it. */
const addsOrReads = /\.(?:append|find|insert|isClaimed|list|membersOf|of[A-Z]|record|touch)/
