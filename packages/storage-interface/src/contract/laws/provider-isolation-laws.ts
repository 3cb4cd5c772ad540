// One file, because isolation between issuers and isolation between providers are checked on the same records.
import type { ResolvedFilter } from '../../filter/resolved-filter.ts'
import { providerId, userId } from '../../values.ts'
import type { ListQuery, SortKey } from '../../resource-list.ts'
import type { ScimStorage } from '../../storage.ts'
import { aDigest, aUser, now, nowPlus } from '../fixtures.ts'
import { type StorageLaw, law } from '../law.ts'
import {
  aGroup,
  aGroupState,
  aProviderRecord,
  aProvisionedState,
  aProvisionedUser,
  everything,
  freshUser,
  freshGroup,
  listedIds,
} from '../provisioning-fixtures.ts'
import { attribute, element, not, or, present, text } from '../filters.ts'
import { absentIdentifiers, identifiers, isolation, show } from './isolation-laws.ts'

/** Users and groups of one issuer's providers are not visible at another issuer, even for the same provider identifier. */
export const provisioningIsolationLaws: readonly StorageLaw<ScimStorage>[] = [
  law('identifiers: keys of users and groups are compared byte for byte', async ({ storage, same }) => {
    const { providerId: provider } = everything
    for (const [index, key] of identifiers.entries()) {
      const state = aProvisionedState('key', { externalId: key, comparable: { userName: key } })
      const user = await storage.provisionedUsers.insert(aProvisionedUser(`${index}`, { state }))
      same(user.outcome, 'inserted', `a user with ${show(key)}`)
      const group = await storage.groups.insert(aGroup(`${index}`, { state: aGroupState('key', { externalId: key }) }))
      same(group.outcome, 'inserted', `a group with ${show(key)}`)
    }
    for (const [index, key] of [...identifiers, ...absentIdentifiers].entries()) {
      const expected = index < identifiers.length ? `user-${index}` : undefined
      const user = await storage.provisionedUsers.findByExternalId(provider, key)
      same(user?.userId, expected, `the user with externalId ${show(key)}`)
      const named = await storage.provisionedUsers.list({ ...everything, filter: text('userName', 'eq', key) })
      same(listedIds(named), expected === undefined ? [0] : [1, expected], `the user with userName ${show(key)}`)
      const group = await storage.groups.findByExternalId(provider, key)
      same(group?.groupId, expected && `group-${index}`, `the group with externalId ${show(key)}`)
    }
  }),

  law('identifiers: providers are compared byte for byte in users and groups', async ({ storage, same }) => {
    for (const [index, id] of identifiers.entries()) {
      const user = aProvisionedUser(`${index}`, { providerId: providerId(id), state: aProvisionedState('same') })
      same((await storage.provisionedUsers.insert(user)).outcome, 'inserted', `a user of ${show(id)}`)
      const group = aGroup(`${index}`, {
        providerId: providerId(id),
        state: aGroupState('same'),
        memberIds: [user.userId],
      })
      same((await storage.groups.insert(group)).outcome, 'inserted', `a group of ${show(id)}`)
    }
    for (const id of [...identifiers, ...absentIdentifiers]) {
      const index = identifiers.indexOf(id)
      const isThere = index !== -1
      const list = await storage.provisionedUsers.list({ ...everything, providerId: providerId(id) })
      same(listedIds(list), isThere ? [1, `user-${index}`] : [0], `users of ${show(id)}`)
      const group = await storage.groups.findByExternalId(providerId(id), 'external-same')
      same(group?.groupId, isThere ? `group-${index}` : undefined, `the group of ${show(id)}`)
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

  isolation('provisioned users are changed, adopted and listed', async ({ storage, same }, other) => {
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
    same(await storage.provisionedUsers.find(ada.providerId, ada.userId), freshUser(ada), "the first issuer's user")
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
    same(
      await other.groups.insert(staff),
      { outcome: 'memberUnknown', memberId: ada.userId },
      'a group with a member of the first issuer',
    )
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

/** A provider cannot find, change or learn about the rows of another. */
export const providerIsolationLaws: readonly StorageLaw<ScimStorage>[] = [
  law('providers: users and groups are found only by their own provider', async ({ storage, same }) => {
    await seed(storage)

    for (const other of otherProviders) {
      same(await storage.provisionedUsers.find(other, ada.userId), undefined, `find as ${other}`)
      same(
        await storage.provisionedUsers.findByExternalId(other, 'external-ada'),
        undefined,
        `findByExternalId as ${other}`,
      )
      same(await storage.groups.find(other, staff.groupId), undefined, `find of a group as ${other}`)
      same(
        await storage.groups.findByExternalId(other, 'external-staff'),
        undefined,
        `a group by externalId as ${other}`,
      )
      const members = await storage.groups.membersOf(other, [staff.groupId])
      same([...members], [[staff.groupId, []]], `membersOf as ${other}`)
    }
  }),

  law('providers: users are changed only by their own provider', async ({ storage, same }) => {
    await seed(storage)
    const change = { ...ada, state: aProvisionedState('new', { active: false }), version: 1, now: nowPlus(1) }

    for (const other of otherProviders) {
      const foreign = { ...change, providerId: other }
      same(await storage.provisionedUsers.compareAndSwap(foreign), { outcome: 'absent' }, `compareAndSwap as ${other}`)
      same(await storage.provisionedUsers.adopt(foreign), { outcome: 'absent' }, `adopt as ${other}`)
      for (const version of [1, 2, undefined]) {
        const request = { ...foreign, version }
        same(await storage.provisionedUsers.release(request), { outcome: 'absent' }, `release as ${other}, ${version}`)
        same(await storage.provisionedUsers.remove(request), { outcome: 'absent' }, `remove as ${other}, ${version}`)
      }
    }
    same(await storage.provisionedUsers.find(ada.providerId, ada.userId), adaRecord, 'the user')
  }),

  law('providers: groups are changed only by their own provider', async ({ storage, same }) => {
    await seed(storage)
    const members = { kind: 'delta', add: [], remove: [ada.userId] } as const
    const change = { ...staff, state: aGroupState('new'), members, version: undefined, now: nowPlus(1) }

    for (const other of otherProviders) {
      same(await storage.groups.change({ ...change, providerId: other }), { outcome: 'absent' }, `change as ${other}`)
      same(await storage.groups.remove({ ...change, providerId: other }), { outcome: 'absent' }, `remove as ${other}`)
    }
    same(await storage.groups.find(staff.providerId, staff.groupId), freshGroup(staff), 'the group')
    same(await storage.provisionedUsers.find(ada.providerId, ada.userId), adaRecord, 'its member')
  }),

  law('providers: keys of one provider are free for another', async ({ storage, same }) => {
    await seed(storage)

    for (const [index, other] of otherProviders.entries()) {
      const user = { ...aProvisionedUser(`ada-${index}`, { state: ada.state }), providerId: other }
      same(await storage.provisionedUsers.insert(user), { outcome: 'inserted', record: freshUser(user) }, other)
      const change = { ...user, version: 1, now }
      await storage.provisionedUsers.compareAndSwap({ ...change, state: aProvisionedState('other') })
      const back = await storage.provisionedUsers.compareAndSwap({ ...change, version: 2 })
      same(back.outcome, 'swapped', `changing to them as ${other}`)
      const group = { ...aGroup(`staff-${index}`, { state: staff.state }), providerId: other }
      same(
        await storage.groups.insert(group),
        { outcome: 'inserted', record: freshGroup(group) },
        `a group as ${other}`,
      )
      const found = await storage.provisionedUsers.findByExternalId(other, 'external-ada')
      same(found?.userId, user.userId, `the externalId as ${other}`)
    }
    same(
      await storage.provisionedUsers.findByExternalId(ada.providerId, 'external-ada'),
      adaRecord,
      'the externalId of the first',
    )
  }),

  law('providers: a group has no members of another provider', async ({ storage, same }) => {
    await seed(storage)
    const own = { ...aProvisionedUser('own'), providerId: otherProvider }
    const empty = { ...aGroup('empty'), providerId: otherProvider }
    await storage.provisionedUsers.insert(own)
    await storage.groups.insert(empty)

    for (const foreign of [ada.userId, staff.groupId]) {
      const inserted = await storage.groups.insert({
        ...aGroup('new', { memberIds: [foreign] }),
        providerId: otherProvider,
      })
      same(inserted, { outcome: 'memberUnknown', memberId: foreign }, `a group with ${foreign}`)
      const change = { ...empty, state: undefined, version: undefined, now }
      const added = await storage.groups.change({
        ...change,
        members: { kind: 'delta', add: [own.userId, foreign], remove: [] },
      })
      same(added, { outcome: 'memberUnknown', memberId: foreign }, `adding ${foreign}`)
      const replaced = await storage.groups.change({ ...change, members: { kind: 'replace', memberIds: [foreign] } })
      same(replaced, { outcome: 'memberUnknown', memberId: foreign }, `replacing by ${foreign}`)
    }
    same(await storage.groups.find(otherProvider, empty.groupId), freshGroup(empty), 'the group')
    same((await storage.groups.membersOf(otherProvider, [empty.groupId])).get(empty.groupId), [], 'its members')
  }),

  law('providers: lists, filters and totals cover one provider', async ({ storage, same }) => {
    await seed(storage)
    const own = { ...aProvisionedUser('own'), providerId: otherProvider }
    const ownGroup = { ...aGroup('own', { memberIds: [own.userId] }), providerId: otherProvider }
    await storage.provisionedUsers.insert(own)
    await storage.groups.insert(ownGroup)

    const foreign = [
      text('id', 'eq', ada.userId),
      text('externalId', 'eq', 'external-ada'),
      text('userName', 'eq', 'ada@example.com'),
      element('groups', text('value', 'eq', staff.groupId)),
      element('members', text('value', 'eq', ada.userId)),
      text('id', 'eq', staff.groupId),
    ]
    for (const filter of [...foreign, or(...foreign)]) {
      const about = JSON.stringify(filter)
      same(await storage.provisionedUsers.list(listOf(filter)), nothing, `users with ${about}`)
      same(await storage.groups.list(listOf(filter)), nothing, `groups with ${about}`)
    }
    for (const filter of [undefined, present('id'), not(or(...foreign))]) {
      const users = await storage.provisionedUsers.list(listOf(filter))
      const groups = await storage.groups.list(listOf(filter))
      same(users.outcome === 'listed' && [users.total, users.records.length], [1, 1], 'users')
      same(groups.outcome === 'listed' && [groups.total, groups.records.length], [1, 1], 'groups')
    }
  }),

  law('providers: a list position of one provider reveals nothing to another', async ({ storage, same }) => {
    await seed(storage)
    await storage.provisionedUsers.insert(aProvisionedUser('zoe'))
    const own = { ...aProvisionedUser('zz'), providerId: otherProvider }
    await storage.provisionedUsers.insert(own)
    const byName: SortKey = { attribute: attribute('userName'), elementPart: undefined, direction: 'ascending' }

    for (const sort of [undefined, byName]) {
      const query = { ...listOf(undefined), sort, page: { kind: 'cursor', after: undefined, limit: 1 } as const }
      const first = await storage.provisionedUsers.list({ ...query, providerId: ada.providerId })
      const after = first.outcome === 'listed' ? first.next : undefined
      same(typeof after, 'string', 'a position')
      const page = await storage.provisionedUsers.list({ ...query, page: { kind: 'cursor', after, limit: 10 } })
      const seen = page.outcome === 'listed' ? page.records.map((record) => record.userId) : []
      same(
        seen.filter((id) => id !== own.userId),
        [],
        'users of the first provider',
      )
    }
  }),
]

const otherProvider = providerId('provider-2')
/** Other providers, including some whose identifiers resemble the first one's. */
const otherProviders = ['provider-2', 'PROVIDER-1', 'provider-', 'provider-1 ', 'provider_1', '%'].map((id) =>
  providerId(id),
)

const staff = aGroup('staff', { memberIds: [ada.userId] })
const adaRecord = { ...freshUser(ada), groups: [{ groupId: staff.groupId, displayName: staff.state.displayName }] }

async function seed(storage: ScimStorage): Promise<void> {
  await storage.provisionedUsers.insert(ada)
  await storage.groups.insert(staff)
}

const listOf = (filter: ResolvedFilter | undefined): ListQuery => ({ ...everything, providerId: otherProvider, filter })

const nothing = { outcome: 'listed', total: 0, records: [], next: undefined }
