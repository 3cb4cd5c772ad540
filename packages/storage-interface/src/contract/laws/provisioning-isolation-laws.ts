import type { ScimStorage } from '../../storage.ts'
import { everything, listedIds } from '../listed.ts'
import { aDigest } from '../records/a-digest.ts'
import { aGroup, aGroupState, freshGroup } from '../records/a-group.ts'
import { aProviderRecord } from '../records/a-provider.ts'
import { aProvisionedState, aProvisionedUser, freshAccount } from '../records/a-provisioned-user.ts'
import { aUser } from '../records/a-user.ts'
import { now, nowPlus } from '../records/moments.ts'
import { providerId, userId } from '../../identifiers.ts'
import { text } from '../filters.ts'
import { law, type StorageLaw } from '../law.ts'
import { identifiers, isolation, show, strangers } from './record-laws.ts'

/** What the providers of one issuer have is nobody's at another issuer, also of a provider with the same identifier. */
export const provisioningIsolationLaws: readonly StorageLaw<ScimStorage>[] = [
  law('identifiers: the keys of accounts and groups are told apart byte for byte', async ({ storage, same }) => {
    const { providerId: provider } = everything
    for (const [index, key] of identifiers.entries()) {
      const state = aProvisionedState('key', { externalId: key, comparable: { userName: key } })
      const user = await storage.provisionedUsers.insert(aProvisionedUser(`${index}`, { state }))
      same(user.outcome, 'inserted', `an account with ${show(key)}`)
      const group = await storage.groups.insert(aGroup(`${index}`, { state: aGroupState('key', { externalId: key }) }))
      same(group.outcome, 'inserted', `a group with ${show(key)}`)
    }
    for (const [index, key] of [...identifiers, ...strangers].entries()) {
      const expected = index < identifiers.length ? `user-${index}` : undefined
      const user = await storage.provisionedUsers.findByExternalId(provider, key)
      same(user?.userId, expected, `the account of ${show(key)}`)
      const named = await storage.provisionedUsers.list({ ...everything, filter: text('userName', 'eq', key) })
      same(listedIds(named), expected === undefined ? [0] : [1, expected], `the account named ${show(key)}`)
      const group = await storage.groups.findByExternalId(provider, key)
      same(group?.groupId, expected && `group-${index}`, `the group of ${show(key)}`)
    }
  }),

  law('identifiers: providers are told apart byte for byte in what they have', async ({ storage, same }) => {
    for (const id of identifiers) {
      const user = aProvisionedUser(id, { providerId: providerId(id), state: aProvisionedState('same') })
      same((await storage.provisionedUsers.insert(user)).outcome, 'inserted', `an account of ${show(id)}`)
      const group = aGroup(id, { providerId: providerId(id), state: aGroupState('same'), memberIds: [user.userId] })
      same((await storage.groups.insert(group)).outcome, 'inserted', `a group of ${show(id)}`)
    }
    for (const id of [...identifiers, ...strangers]) {
      const isThere = identifiers.includes(id)
      const list = await storage.provisionedUsers.list({ ...everything, providerId: providerId(id) })
      same(listedIds(list), isThere ? [1, `user-${id}`] : [0], `accounts of ${show(id)}`)
      const group = await storage.groups.findByExternalId(providerId(id), 'external-same')
      same(group?.groupId, isThere ? `group-${id}` : undefined, `the group of ${show(id)}`)
    }
  }),
  isolation('identity providers are changed and listed', async ({ storage, same }, other) => {
    await storage.identityProviders.insert(provider)

    same(await other.identityProviders.list({ after: undefined, limit: 10 }), [], 'list')
    same(await other.identityProviders.compareAndSwap(provider, 1), { outcome: 'absent' }, 'compareAndSwap')
    same(await other.identityProviders.remove(provider.providerId, now), { outcome: 'absent' }, 'remove')
    await other.identityProviders.touchSecret(provider.providerId, aDigest('provider-secret-1'), nowPlus(9))
    same(await storage.identityProviders.find(provider.providerId), provider, "the first issuer's provider")
  }),

  isolation('provisioned accounts are changed, adopted and listed', async ({ storage, same }, other) => {
    await storage.provisionedUsers.insert(ada)
    await storage.users.insert(aUser())
    const change = { ...ada, version: 1, now: nowPlus(9) }

    same(await other.provisionedUsers.compareAndSwap(change), { outcome: 'absent' }, 'compareAndSwap')
    const adoption = { ...change, userId: aUser().userId }
    same(await other.provisionedUsers.adopt(adoption), { outcome: 'absent' }, 'adopt')
    same(await other.provisionedUsers.release(change), { outcome: 'absent' }, 'release')
    same(await other.provisionedUsers.remove(change), { outcome: 'absent' }, 'remove')
    same(await other.provisionedUsers.findByExternalId(ada.providerId, 'external-ada'), undefined, 'findByExternalId')
    same(listedIds(await other.provisionedUsers.list(everything)), [0], 'list')
    same((await other.provisionedUsers.insert({ ...ada, userId: userId('twin') })).outcome, 'inserted', 'the same keys')
    same(
      await storage.provisionedUsers.find(ada.providerId, ada.userId),
      freshAccount(ada),
      "the first issuer's account",
    )
    same(listedIds(await storage.provisionedUsers.list(everything)), [1, ada.userId], "the first issuer's list")
  }),

  isolation('groups and memberships are changed and listed', async ({ storage, same }, other) => {
    const staff = aGroup('staff', { memberIds: [ada.userId] })
    await storage.provisionedUsers.insert(ada)
    await storage.groups.insert(staff)
    const change = { ...staff, version: 1, members: undefined, now: nowPlus(9) }

    same(await other.groups.change(change), { outcome: 'absent' }, 'change')
    same(await other.groups.remove(change), { outcome: 'absent' }, 'remove')
    same(await other.groups.findByExternalId(staff.providerId, 'external-staff'), undefined, 'findByExternalId')
    same((await other.groups.membersOf(staff.providerId, [staff.groupId])).get(staff.groupId), [], 'membersOf')
    same(await other.groups.list(everything), { outcome: 'listed', total: 0, records: [], next: undefined }, 'list')
    same(await other.groups.insert(staff), { outcome: 'memberUnknown' }, 'a group with a member of the first issuer')
    const empty = { ...staff, memberIds: [] }
    same((await other.groups.insert(empty)).outcome, 'inserted', 'a group with the same keys')
    await other.groups.remove(change)
    same(await storage.groups.find(staff.providerId, staff.groupId), freshGroup(staff), "the first issuer's group")
    const members = await storage.groups.membersOf(staff.providerId, [staff.groupId])
    same(members.get(staff.groupId), [{ memberId: ada.userId, type: 'User' }], 'its members')
  }),
]

const provider = aProviderRecord()
const ada = aProvisionedUser('ada')
