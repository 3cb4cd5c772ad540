import type { ResolvedFilter } from '../../filter/resolved-filter.ts'
import { providerId } from '../../identifiers.ts'
import type { ListQuery, SortKey } from '../../resource-list.ts'
import type { ScimStorage } from '../../storage.ts'
import { attribute, element, not, or, present, text } from '../filters.ts'
import { law, type StorageLaw } from '../law.ts'
import { everything } from '../listed.ts'
import { aGroup, aGroupState, freshGroup } from '../records/a-group.ts'
import { aProvisionedState, aProvisionedUser, freshAccount } from '../records/a-provisioned-user.ts'
import { now, nowPlus } from '../records/moments.ts'

/** Of what one provider has, another finds nothing, changes nothing and learns nothing. */
export const providerIsolationLaws: readonly StorageLaw<ScimStorage>[] = [
  law('providers: accounts and groups are found by their own provider only', async ({ storage, same }) => {
    await seed(storage)

    for (const other of strangers) {
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

  law('providers: accounts are changed by their own provider only', async ({ storage, same }) => {
    await seed(storage)
    const change = { ...ada, state: aProvisionedState('new', { active: false }), version: 1, now: nowPlus(1) }

    for (const other of strangers) {
      const foreign = { ...change, providerId: other }
      same(await storage.provisionedUsers.compareAndSwap(foreign), { outcome: 'absent' }, `compareAndSwap as ${other}`)
      same(await storage.provisionedUsers.adopt(foreign), { outcome: 'absent' }, `adopt as ${other}`)
      for (const version of [1, 2, undefined]) {
        const request = { ...foreign, version }
        same(await storage.provisionedUsers.release(request), { outcome: 'absent' }, `release as ${other}, ${version}`)
        same(await storage.provisionedUsers.remove(request), { outcome: 'absent' }, `remove as ${other}, ${version}`)
      }
    }
    same(await storage.provisionedUsers.find(ada.providerId, ada.userId), account, 'the account')
  }),

  law('providers: groups are changed by their own provider only', async ({ storage, same }) => {
    await seed(storage)
    const members = { kind: 'delta', add: [], remove: [ada.userId] } as const
    const change = { ...staff, state: aGroupState('new'), members, version: undefined, now: nowPlus(1) }

    for (const other of strangers) {
      same(await storage.groups.change({ ...change, providerId: other }), { outcome: 'absent' }, `change as ${other}`)
      same(await storage.groups.remove({ ...change, providerId: other }), { outcome: 'absent' }, `remove as ${other}`)
    }
    same(await storage.groups.find(staff.providerId, staff.groupId), freshGroup(staff), 'the group')
    same(await storage.provisionedUsers.find(ada.providerId, ada.userId), account, 'its member')
  }),

  law('providers: the keys of one are free for another', async ({ storage, same }) => {
    await seed(storage)

    for (const [index, other] of strangers.entries()) {
      const user = { ...aProvisionedUser(`ada-${index}`, { state: ada.state }), providerId: other }
      same(await storage.provisionedUsers.insert(user), { outcome: 'inserted', record: freshAccount(user) }, other)
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
      account,
      'the externalId of the first',
    )
  }),

  law('providers: nobody is a member of a group of another', async ({ storage, same }) => {
    await seed(storage)
    const own = { ...aProvisionedUser('own'), providerId: stranger }
    const empty = { ...aGroup('empty'), providerId: stranger }
    await storage.provisionedUsers.insert(own)
    await storage.groups.insert(empty)

    for (const foreign of [ada.userId, staff.groupId]) {
      const inserted = await storage.groups.insert({ ...aGroup('new', { memberIds: [foreign] }), providerId: stranger })
      same(inserted, { outcome: 'memberUnknown' }, `a group with ${foreign}`)
      const change = { ...empty, state: undefined, version: undefined, now }
      const added = await storage.groups.change({
        ...change,
        members: { kind: 'delta', add: [own.userId, foreign], remove: [] },
      })
      same(added, { outcome: 'memberUnknown' }, `adding ${foreign}`)
      const replaced = await storage.groups.change({ ...change, members: { kind: 'replace', memberIds: [foreign] } })
      same(replaced, { outcome: 'memberUnknown' }, `replacing by ${foreign}`)
    }
    same(await storage.groups.find(stranger, empty.groupId), freshGroup(empty), 'the group')
    same((await storage.groups.membersOf(stranger, [empty.groupId])).get(empty.groupId), [], 'its members')
  }),

  law('providers: lists, filters and totals are of one provider', async ({ storage, same }) => {
    await seed(storage)
    const own = { ...aProvisionedUser('own'), providerId: stranger }
    const ownGroup = { ...aGroup('own', { memberIds: [own.userId] }), providerId: stranger }
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
      same(await storage.provisionedUsers.list(listOf(filter)), nothing, `accounts with ${about}`)
      same(await storage.groups.list(listOf(filter)), nothing, `groups with ${about}`)
    }
    for (const filter of [undefined, present('id'), not(or(...foreign))]) {
      const accounts = await storage.provisionedUsers.list(listOf(filter))
      const groups = await storage.groups.list(listOf(filter))
      same(accounts.outcome === 'listed' && [accounts.total, accounts.records.length], [1, 1], 'accounts')
      same(groups.outcome === 'listed' && [groups.total, groups.records.length], [1, 1], 'groups')
    }
  }),

  law('providers: a position in the list of one shows nothing of it to another', async ({ storage, same }) => {
    await seed(storage)
    await storage.provisionedUsers.insert(aProvisionedUser('zoe'))
    const own = { ...aProvisionedUser('zz'), providerId: stranger }
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
        'accounts of the first',
      )
    }
  }),
]

const stranger = providerId('provider-2')
/** Others, among them some whose names are like the first one's. */
const strangers = ['provider-2', 'PROVIDER-1', 'provider-', 'provider-1 ', 'provider_1', '%'].map((id) =>
  providerId(id),
)

const ada = aProvisionedUser('ada')
const staff = aGroup('staff', { memberIds: [ada.userId] })
const account = { ...freshAccount(ada), groups: [{ groupId: staff.groupId, displayName: staff.state.displayName }] }

async function seed(storage: ScimStorage): Promise<void> {
  await storage.provisionedUsers.insert(ada)
  await storage.groups.insert(staff)
}

const listOf = (filter: ResolvedFilter | undefined): ListQuery => ({ ...everything, providerId: stranger, filter })

const nothing = { outcome: 'listed', total: 0, records: [], next: undefined }
