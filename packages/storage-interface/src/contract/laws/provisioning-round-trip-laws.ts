import type { ScimStorage } from '../../storage.ts'
import type { ResolvedFilter } from '../../filter/resolved-filter.ts'
import type { NewGroup } from '../../group.ts'
import type { JsonObject } from '../../values.ts'
import type { NewProvisionedUser, ProvisionedUserRecord } from '../../provisioned-user.ts'
import { and, element, text } from '../filters.ts'
import { law, type StorageLaw, type Trial } from '../law.ts'
import {
  aGroup,
  aGroupState,
  aProviderRecord,
  aProvisionedState,
  aProvisionedUser,
  asListed,
  everything,
  freshUser,
  freshGroup,
} from '../provisioning-fixtures.ts'
import * as records from '../complete-records.ts'
import { nowPlus } from '../fixtures.ts'
import { richJsonText } from '../complete-records.ts'

/** Every method that reads a provider's record returns every member as it was written. */
export const provisioningRoundTripLaws: readonly StorageLaw<ScimStorage>[] = [
  law('round trip: identity providers', async ({ storage, same }) => {
    for (const provider of [records.fullProvider, records.sparseProvider]) {
      await storage.identityProviders.insert(provider)
      same(await storage.identityProviders.find(provider.providerId), provider, 'as inserted')

      const replaced = aProviderRecord({ providerId: provider.providerId })
      const swap = await storage.identityProviders.compareAndSwap(replaced, provider.version)
      same(swap, { outcome: 'swapped', record: { ...replaced, version: provider.version + 1 } }, 'as swapped')
      await storage.identityProviders.compareAndSwap({ ...provider, version: 0 }, provider.version + 1)
      const swappedBack = { ...provider, version: provider.version + 2 }
      same(await storage.identityProviders.find(provider.providerId), swappedBack, 'as swapped back')
      const [listed] = await storage.identityProviders.list({ after: undefined, limit: 1 })
      same(listed?.providerId === provider.providerId ? listed : swappedBack, swappedBack, 'as listed')
    }
  }),

  law('round trip: provisioned users', async (trial) => {
    const { storage, same } = trial
    for (const user of [records.fullProvisionedUser, records.sparseProvisionedUser, records.emptyProvisionedUser]) {
      const record = freshUser(user)
      same(await storage.provisionedUsers.insert(user), { outcome: 'inserted', record }, 'as inserted')
      await checkUserReads(trial, user, record)

      const { providerId, userId, state } = user
      const other = { ...aProvisionedState('other'), active: state.active }
      const change = { providerId, userId, now: nowPlus(70) }
      await storage.provisionedUsers.compareAndSwap({ ...change, state: other, version: 1 })
      const swapped = { ...record, updatedAt: nowPlus(70), version: 3 }
      const back = await storage.provisionedUsers.compareAndSwap({ ...change, state, version: 2 })
      same(back, { outcome: 'swapped', record: swapped }, 'as swapped back')
      await checkUserReads(trial, user, swapped)
    }
  }),

  law('round trip: provisioned users who are adopted', async (trial) => {
    const { storage, same } = trial
    for (const user of [records.fullProvisionedUser, records.sparseProvisionedUser]) {
      await storage.users.insert({ userId: user.userId, claims: {}, createdAt: user.createdAt })
      const adoption = { ...user, version: 1, now: nowPlus(70) }
      const counted = { generation: user.state.active ? 0 : 1, version: 2, updatedAt: nowPlus(70) }
      const record = { ...freshUser(user), ...counted, adopted: true }

      same(await storage.provisionedUsers.adopt(adoption), { outcome: 'swapped', record }, 'as adopted')
      await checkUserReads(trial, user, record)
    }
  }),

  law('round trip: every character of the text of a resource', async (trial) => {
    const { storage, same } = trial
    const user = aProvisionedUser('text', { state: aProvisionedState('text', { resource: richJsonText }) })
    const record = freshUser(user)
    same(await storage.provisionedUsers.insert(user), { outcome: 'inserted', record }, 'as inserted')
    await checkUserReads(trial, user, record)

    const change = { ...user, version: 1, state: { ...user.state, active: false }, now: nowPlus(1) }
    const inactive = { ...record, active: false, generation: 1, version: 2, updatedAt: nowPlus(1) }
    same(await storage.provisionedUsers.compareAndSwap(change), { outcome: 'swapped', record: inactive }, 'as swapped')
    await checkUserReads(trial, user, inactive)
  }),

  law('round trip: keys of 1024 characters', async (trial) => {
    const { storage, same } = trial
    const label = farCharacters(1024)
    const state = aProvisionedState('long', {
      externalId: label,
      comparable: { userName: label, emails: [{ value: label }] },
    })
    const user = aProvisionedUser('long', { state })
    const record = freshUser(user)
    same(await storage.provisionedUsers.insert(user), { outcome: 'inserted', record }, 'the insertion')
    await checkUserReads(trial, user, record)
    const byEmail = element('emails', text('value', 'eq', label))
    const list = await storage.provisionedUsers.list({ ...everything, filter: byEmail })
    same(list.outcome === 'listed' && list.records, [asListed(record)], 'by e-mail address')
    const twin = aProvisionedUser('twin', { state: aProvisionedState('twin', { comparable: { userName: label } }) })
    same(
      await storage.provisionedUsers.insert(twin),
      { outcome: 'taken', key: 'userName' },
      'another with the userName',
    )
    const almost = `${farCharacters(1023)}x`
    const sibling = aProvisionedUser('sibling', {
      state: aProvisionedState(almost, { comparable: { userName: almost } }),
    })
    same((await storage.provisionedUsers.insert(sibling)).outcome, 'inserted', 'another whose last character differs')

    const group = aGroup('long', { state: aGroupState('long', { externalId: label }) })
    same((await storage.groups.insert(group)).outcome, 'inserted', 'a group')
    await checkGroupReads(trial, group, freshGroup(group))
  }),

  law('round trip: groups', async (trial) => {
    const { storage, same } = trial
    await storage.provisionedUsers.insert(records.fullProvisionedUser)
    for (const group of [records.fullGroup, records.sparseGroup]) {
      const record = freshGroup(group)
      same(await storage.groups.insert(group), { outcome: 'inserted', record }, 'as inserted')
      await checkGroupReads(trial, group, record)

      const { providerId, groupId, state } = group
      const change = { providerId, groupId, version: undefined, members: undefined, now: nowPlus(70) }
      await storage.groups.change({ ...change, state: aGroupState('other') })
      const swapped = { ...record, updatedAt: nowPlus(70), version: 3 }
      same(
        await storage.groups.change({ ...change, state }),
        { outcome: 'swapped', record: swapped },
        'as changed back',
      )
      await checkGroupReads(trial, group, swapped)
    }
    const members = await storage.groups.membersOf(records.fullGroup.providerId, [records.fullGroup.groupId])
    same(
      members.get(records.fullGroup.groupId),
      [{ memberId: records.fullProvisionedUser.userId, type: 'User' }],
      'its members',
    )
  }),
]

/** Returns a string of this many characters, each of four UTF-8 bytes, that databases cannot compress much. */
const farCharacters = (count: number): string =>
  Array.from({ length: count }, (_, index) =>
    String.fromCodePoint(0x1_00_00 + ((index * 7919 * 104_729) % 0xf_ff_ff)),
  ).join('')

async function checkUserReads(
  { storage, same }: Trial<ScimStorage>,
  user: NewProvisionedUser,
  record: ProvisionedUserRecord,
): Promise<void> {
  const { providerId, userId, state } = user
  same(await storage.provisionedUsers.find(providerId, userId), record, 'through find')
  if (state.externalId !== undefined) {
    const found = await storage.provisionedUsers.findByExternalId(providerId, state.externalId)
    same(found, record, 'through findByExternalId')
  }
  const list = await storage.provisionedUsers.list({ ...everything, providerId, filter: hasTextsOf(state.comparable) })
  same(list.outcome === 'listed' && list.records, [asListed(record)], 'through list')
}

async function checkGroupReads(
  { storage, same }: Trial<ScimStorage>,
  { providerId, groupId, state }: NewGroup,
  record: object,
): Promise<void> {
  same(await storage.groups.find(providerId, groupId), record, 'through find')
  if (state.externalId !== undefined) {
    same(await storage.groups.findByExternalId(providerId, state.externalId), record, 'through findByExternalId')
  }
  const filter = and(text('id', 'eq', groupId), hasTextsOf(state.comparable))
  const list = await storage.groups.list({ ...everything, providerId, filter })
  same(list.outcome === 'listed' && list.records, [record], 'through list')
}

/** Returns a filter for the strings of a comparable form whose keys are valid attribute names (RFC 7643 §2.1). */
function hasTextsOf(comparable: JsonObject): ResolvedFilter {
  const texts = Object.entries(comparable).flatMap(([name, value]) =>
    typeof value === 'string' && /^[a-z]\w*$/i.test(name) ? [text(name, 'eq', value)] : [],
  )
  return and(...texts)
}
