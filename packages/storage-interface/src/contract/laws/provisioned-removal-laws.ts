import { userId } from '../../identifiers.ts'
import type { ScimStorage } from '../../storage.ts'
import { atOnce, tally } from '../law.ts'
import { law, type StorageLaw, type Trial } from '../law.ts'
import { everything } from '../listed.ts'
import { aFamilyRecord } from '../records/a-family.ts'
import { aGrantRecord } from '../records/a-grant.ts'
import { aGroup } from '../records/a-group.ts'
import { accountOf, aProvisionedState, aProvisionedUser, freshAccount } from '../records/a-provisioned-user.ts'
import { aSessionRecord } from '../records/a-session.ts'
import { now, nowPlus } from '../records/moments.ts'

/** Accounts of providers are the accounts that core knows: whoever ends one ends it for all. */
export const provisionedRemovalLaws: readonly StorageLaw<ScimStorage>[] = [
  law(
    'provisioned accounts: a removed account is gone for every method, and leaves its keys but not its identifier',
    async (trial) => {
      await seed(trial.storage)
      const version = { ...request, version: 2 }
      trial.same(await trial.storage.provisionedUsers.remove(version), { outcome: 'conflict' }, 'another version')

      const removal = await trial.storage.provisionedUsers.remove({ ...request, version: 1 })

      trial.same(removal, { outcome: 'removed' }, 'the removal')
      await isGone(trial)
    },
  ),

  law('provisioned accounts: what core removes is removed for the provider', async (trial) => {
    await seed(trial.storage)

    trial.same(await trial.storage.users.remove(ada.userId, nowPlus(9)), { outcome: 'removed' }, 'the removal')

    await isGone(trial)
  }),

  law('provisioned accounts: of 8 removals at once one removes the account', async ({ storage, server, same }) => {
    await seed(storage)

    const results = await atOnce(8, async (index): Promise<{ readonly outcome: string }> => {
      if (index % 4 === 3) return server(index).users.remove(ada.userId, nowPlus(9))
      if (index % 4 === 2) return server(index).provisionedUsers.remove({ ...request, version: 1 })
      return server(index).provisionedUsers.remove(request)
    })

    same(tally(results), { removed: 1, absent: 7 }, 'outcomes')
    same((await storage.groups.find(staff.providerId, staff.groupId))?.version, 2, 'the version of its group')
  }),

  law('provisioned accounts: what core does to an account its provider sees', async ({ storage, same }) => {
    await seed(storage)
    const groups = [{ groupId: staff.groupId, displayName: staff.state.displayName }]
    const find = () => storage.provisionedUsers.find(ada.providerId, ada.userId)

    await storage.users.deactivate(ada.userId, nowPlus(1))
    const inactive = { ...freshAccount(ada), groups, active: false, generation: 1, updatedAt: nowPlus(1), version: 2 }
    same(await find(), inactive, 'after a deactivation')
    const stale = { providerId: ada.providerId, userId: ada.userId, version: 1, state: ada.state, now }
    same(
      await storage.provisionedUsers.compareAndSwap(stale),
      { outcome: 'conflict' },
      'a provider that read before it',
    )
    await storage.users.replaceClaims({ userId: ada.userId, claims: { name: 'Ada' }, version: 2, now: nowPlus(2) })
    same(await find(), { ...inactive, claims: { name: 'Ada' }, updatedAt: nowPlus(2), version: 3 }, 'after new claims')
    await storage.users.reactivate(ada.userId, nowPlus(3))
    const active = { ...inactive, active: true, claims: { name: 'Ada' }, updatedAt: nowPlus(3), version: 4 }
    same(await find(), active, 'after a reactivation')
  }),

  law(
    'provisioned accounts: what a provider does to an account everything that was issued sees',
    async ({ storage, same }) => {
      await seed(storage)
      const issued = { userId: ada.userId, userGeneration: 0 }
      await storage.grants.insert(aGrantRecord(issued))
      await storage.families.insert(aFamilyRecord({ userId: ada.userId }))
      await storage.sessions.insert(aSessionRecord(issued))
      const standing = async () => [
        (await storage.status.ofGrant(aGrantRecord().grantId))?.user,
        (await storage.status.ofFamily(aFamilyRecord().familyId))?.user,
        (await storage.status.ofSession(aSessionRecord().digest))?.user,
      ]

      const state = aProvisionedState('ada', { active: false })
      await storage.provisionedUsers.compareAndSwap({ ...request, version: 1, state })
      const inactive = {
        ...accountOf(freshAccount(ada)),
        active: false,
        generation: 1,
        updatedAt: nowPlus(9),
        version: 2,
      }
      same(await standing(), [inactive, inactive, inactive], 'after a deactivation')
      await storage.provisionedUsers.release(request)
      const released = { ...inactive, generation: 2, version: 3 }
      same(await standing(), [released, released, released], 'after the provider has let go of it')
      await storage.provisionedUsers.adopt({ ...request, version: 3, state: ada.state })
      await storage.provisionedUsers.remove(request)
      same(await standing(), [undefined, undefined, undefined], 'after the removal')
    },
  ),
]

const ada = aProvisionedUser('ada')
const staff = aGroup('staff', { memberIds: [ada.userId] })
const request = { providerId: ada.providerId, userId: ada.userId, version: undefined, now: nowPlus(9) }

async function seed(storage: ScimStorage): Promise<void> {
  await storage.provisionedUsers.insert(ada)
  await storage.groups.insert(staff)
}

/** Removed at `nowPlus(9)`. */
async function isGone({ storage, same }: Trial<ScimStorage>): Promise<void> {
  const { providerId: provider, userId: id, state } = ada
  same(await storage.provisionedUsers.find(provider, id), undefined, 'find')
  same(await storage.provisionedUsers.findByExternalId(provider, 'external-ada'), undefined, 'findByExternalId')
  const list = await storage.provisionedUsers.list(everything)
  same(list, { outcome: 'listed', total: 0, records: [], next: undefined }, 'list')
  same(await storage.users.find(id), undefined, 'the account for core')
  for (const version of [1, 2]) {
    const change = { providerId: provider, userId: id, version, state, now }
    same(
      await storage.provisionedUsers.compareAndSwap(change),
      { outcome: 'absent' },
      `compareAndSwap, version ${version}`,
    )
    same(await storage.provisionedUsers.adopt(change), { outcome: 'absent' }, `adopt, version ${version}`)
  }
  same(await storage.provisionedUsers.release(request), { outcome: 'absent' }, 'release')
  same(await storage.provisionedUsers.remove(request), { outcome: 'absent' }, 'remove')

  const group = await storage.groups.find(staff.providerId, staff.groupId)
  same({ version: group?.version, updatedAt: group?.updatedAt }, { version: 2, updatedAt: nowPlus(9) }, 'its group')
  const members = await storage.groups.membersOf(staff.providerId, [staff.groupId])
  same([...members], [[staff.groupId, []]], 'the members of its group')
  const joining = { ...staff, version: undefined, state: undefined, now }
  const added = await storage.groups.change({ ...joining, members: { kind: 'delta', add: [id], remove: [] } })
  same(added, { outcome: 'memberUnknown' }, 'joining the group')

  same(await storage.provisionedUsers.insert(ada), { outcome: 'taken', key: 'id' }, 'its identifier')
  const heir = { ...ada, userId: userId('heir') }
  same(await storage.provisionedUsers.insert(heir), { outcome: 'inserted', record: freshAccount(heir) }, 'its keys')
}
