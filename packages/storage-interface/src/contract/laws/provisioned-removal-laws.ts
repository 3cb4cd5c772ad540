// One file, because adopting, releasing and removing a user are checked with the same user and group.
import { providerId, userId } from '../../values.ts'
import type { ProvisionedUserChange } from '../../provisioned-user.ts'
import type { ScimStorage } from '../../storage.ts'
import { aFamilyRecord, aGrantRecord, aSessionRecord, aUser, now, nowPlus } from '../fixtures.ts'
import { type StorageLaw, type Trial, atOnce, law, tally } from '../law.ts'
import {
  aGroup,
  aProvisionedState,
  aProvisionedUser,
  toUserRecord,
  everything,
  freshUser,
} from '../provisioning-fixtures.ts'

/** Adopting, releasing and removing users of providers. */
export const provisionedLinkLaws: readonly StorageLaw<ScimStorage>[] = [
  law(
    'provisioned users: a user without a provider is adopted and keeps their identifier',
    async ({ storage, same }) => {
      await storage.users.insert(aUser({ userId: ada.userId }))
      await storage.users.deactivate(ada.userId, nowPlus(1))

      const result = await storage.provisionedUsers.adopt({ ...adoption, version: 2, now: nowPlus(2) })

      const block = { active: false, blockedAt: nowPlus(1), activeAfterBlock: true }
      const record = { ...freshUser(ada), ...block, adopted: true, generation: 1, updatedAt: nowPlus(2), version: 3 }
      same(result, { outcome: 'swapped', record }, 'the outcome')
      same(await storage.provisionedUsers.find(ada.providerId, ada.userId), record, 'the user as read')
      const { state } = ada
      const later = await storage.provisionedUsers.compareAndSwap({ ...adoption, state, version: 3, now: nowPlus(3) })
      same(later, { outcome: 'swapped', record: { ...record, updatedAt: nowPlus(3), version: 4 } }, 'after a change')
    },
  ),

  law('provisioned users: adopting an active user as inactive advances the generation', async ({ storage, same }) => {
    await storage.users.insert(aUser({ userId: ada.userId }))

    const state = aProvisionedState('ada', { active: false })
    const result = await storage.provisionedUsers.adopt({ ...adoption, state })

    const { active, generation } = result.outcome === 'swapped' ? result.record : {}
    same({ active, generation }, { active: false, generation: 1 }, 'active and generation')
  }),

  law('provisioned users: a user of a provider is never adopted', async ({ storage, same }) => {
    await storage.provisionedUsers.insert(ada)
    await storage.users.insert(aUser({ userId: userId('removed') }))
    await storage.users.remove(userId('removed'), now)

    const other = { ...adoption, providerId: providerId('provider-2') }
    same(await storage.provisionedUsers.adopt(other), { outcome: 'absent' }, 'by another provider')
    same(await storage.provisionedUsers.adopt(adoption), { outcome: 'absent' }, 'by the provider of the user')
    same(await storage.provisionedUsers.find(ada.providerId, ada.userId), freshUser(ada), 'the user')
    for (const id of ['removed', 'unknown']) {
      same(await storage.provisionedUsers.adopt({ ...adoption, userId: userId(id) }), { outcome: 'absent' }, id)
    }
  }),

  law('provisioned users: adoption is refused for the same reasons as a change', async ({ storage, same }) => {
    await storage.users.insert(aUser({ userId: ada.userId }))
    await storage.provisionedUsers.insert(aProvisionedUser('grace'))
    const before = await storage.users.find(ada.userId)
    const { externalId, comparable } = aProvisionedState('grace')

    const late = await storage.provisionedUsers.adopt({ ...adoption, version: 2 })
    same(late, { outcome: 'conflict' }, 'another version')
    const named = { ...adoption, state: aProvisionedState('ada', { comparable }) }
    same(
      await storage.provisionedUsers.adopt(named),
      { outcome: 'taken', key: 'userName' },
      'the userName of another user',
    )
    const known = { ...adoption, state: aProvisionedState('ada', { externalId }) }
    same(
      await storage.provisionedUsers.adopt(known),
      { outcome: 'taken', key: 'externalId' },
      'the externalId of another user',
    )
    same(await storage.users.find(ada.userId), before, 'the user')
    same(
      await storage.provisionedUsers.find(ada.providerId, ada.userId),
      undefined,
      'the user as the provider reads it',
    )
  }),

  law(
    'provisioned users: of 8 providers that adopt the same user concurrently, one succeeds',
    async ({ storage, server, same }) => {
      await storage.users.insert(aUser({ userId: ada.userId }))

      const results = await atOnce(8, (index) =>
        server(index).provisionedUsers.adopt({ ...adoption, providerId: providerId(`provider-${index}`) }),
      )

      same(tally(results)['swapped'], 1, 'how many adopted the user')
      same((await storage.users.find(ada.userId))?.version, 2, 'the version')
      const winner = results.find((result) => result.outcome === 'swapped')
      for (let index = 0; index < 8; index += 1) {
        const found = await storage.provisionedUsers.find(providerId(`provider-${index}`), ada.userId)
        const isOwn = winner?.outcome === 'swapped' && winner.record.providerId === `provider-${index}`
        same(found, isOwn ? winner.record : undefined, `the user as provider-${index} reads it`)
      }
    },
  ),

  law(
    'provisioned users: release removes the link and the memberships, deactivates the user and keeps the row',
    async ({ storage, same }) => {
      await storage.provisionedUsers.insert(ada)
      await storage.groups.insert(group)

      same(
        await storage.provisionedUsers.release({ ...request, version: 2 }),
        { outcome: 'conflict' },
        'another version',
      )
      same(await storage.provisionedUsers.release({ ...request, version: 1 }), { outcome: 'removed' }, 'the release')
      same(await storage.provisionedUsers.release(request), { outcome: 'absent' }, 'a second release')

      const expected = { ...aUser({ userId: ada.userId, claims: ada.state.claims }), generation: 1, version: 2 }
      const inactive = { ...expected, active: false, updatedAt: nowPlus(9) }
      same(await storage.users.find(ada.userId), inactive, 'the user as UserStore reads it')
      same(
        await storage.provisionedUsers.find(ada.providerId, ada.userId),
        undefined,
        'the user as the provider reads it',
      )
      await checkNoMemberships(storage, same)
      const heir = await storage.provisionedUsers.insert({ ...ada, userId: userId('heir') })
      same(heir.outcome, 'inserted', 'another user with the keys of the released user')
    },
  ),

  law(
    'provisioned users: releasing a user who is already inactive advances the generation again',
    async ({ storage, same }) => {
      await storage.provisionedUsers.insert(ada)
      await storage.users.deactivate(ada.userId, nowPlus(1))

      same(await storage.provisionedUsers.release(request), { outcome: 'removed' }, 'the release, with any version')

      const { active, generation, version } = (await storage.users.find(ada.userId)) ?? {}
      same({ active, generation, version }, { active: false, generation: 2, version: 3 }, 'the user')
    },
  ),

  law(
    'provisioned users: a user who is adopted again has no memberships and a later generation',
    async ({ storage, same }) => {
      await storage.provisionedUsers.insert(ada)
      await storage.groups.insert(group)
      await storage.provisionedUsers.release(request)

      const result = await storage.provisionedUsers.adopt({ ...adoption, version: 2, now: nowPlus(10) })

      const record = { ...freshUser(ada), adopted: true, generation: 1, updatedAt: nowPlus(10), version: 3 }
      same(result, { outcome: 'swapped', record }, 'the outcome')
      await checkNoMemberships(storage, same)
    },
  ),
]

const ada = aProvisionedUser('ada')
const group = aGroup('staff', { memberIds: [ada.userId] })
const request = { providerId: ada.providerId, userId: ada.userId, version: undefined, now: nowPlus(9) }

const adoption: ProvisionedUserChange = {
  providerId: ada.providerId,
  userId: ada.userId,
  version: 1,
  state: ada.state,
  now: nowPlus(1),
}

async function checkNoMemberships(
  storage: ScimStorage,
  same: (found: unknown, expected: unknown, about: string) => void,
): Promise<void> {
  const found = await storage.groups.find(group.providerId, group.groupId)
  same({ version: found?.version, updatedAt: found?.updatedAt }, { version: 2, updatedAt: nowPlus(9) }, 'the group')
  const members = await storage.groups.membersOf(group.providerId, [group.groupId])
  same([...members], [[group.groupId, []]], 'its members')
}

/** A user of a provider is one row for both stores: removing the user through either store removes the user from both. */
export const provisionedRemovalLaws: readonly StorageLaw<ScimStorage>[] = [
  law(
    'provisioned users: a removed user is absent for every method, and the keys are free but not the identifier',
    async (trial) => {
      await seed(trial.storage)
      const version = { ...request, version: 2 }
      trial.same(await trial.storage.provisionedUsers.remove(version), { outcome: 'conflict' }, 'another version')

      const removal = await trial.storage.provisionedUsers.remove({ ...request, version: 1 })

      trial.same(removal, { outcome: 'removed' }, 'the removal')
      await checkRemoval(trial)
    },
  ),

  law('provisioned users: a user who is removed through UserStore is removed for the provider', async (trial) => {
    await seed(trial.storage)

    trial.same(await trial.storage.users.remove(ada.userId, nowPlus(9)), { outcome: 'removed' }, 'the removal')

    await checkRemoval(trial)
  }),

  law('provisioned users: of 8 concurrent removals, one removes the user', async ({ storage, server, same }) => {
    await seed(storage)

    const results = await atOnce(8, async (index): Promise<{ readonly outcome: string }> => {
      if (index % 4 === 3) return server(index).users.remove(ada.userId, nowPlus(9))
      if (index % 4 === 2) return server(index).provisionedUsers.remove({ ...request, version: 1 })
      return server(index).provisionedUsers.remove(request)
    })

    same(tally(results), { removed: 1, absent: 7 }, 'outcomes')
    same((await storage.groups.find(staff.providerId, staff.groupId))?.version, 2, 'the version of its group')
  }),

  law('provisioned users: a change through UserStore is visible to the provider', async ({ storage, same }) => {
    await seed(storage)
    const groups = [{ groupId: staff.groupId, displayName: staff.state.displayName }]
    const find = () => storage.provisionedUsers.find(ada.providerId, ada.userId)

    await storage.users.deactivate(ada.userId, nowPlus(1))
    const block = { active: false, blockedAt: nowPlus(1), activeAfterBlock: true }
    const inactive = { ...freshUser(ada), ...block, groups, generation: 1, updatedAt: nowPlus(1), version: 2 }
    same(await find(), inactive, 'after a deactivation')
    const stale = { providerId: ada.providerId, userId: ada.userId, version: 1, state: ada.state, now }
    same(
      await storage.provisionedUsers.compareAndSwap(stale),
      { outcome: 'conflict' },
      'a provider that read the user before the deactivation',
    )
    await storage.users.replaceClaims({ userId: ada.userId, claims: { name: 'Ada' }, version: 2, now: nowPlus(2) })
    same(await find(), { ...inactive, claims: { name: 'Ada' }, updatedAt: nowPlus(2), version: 3 }, 'after new claims')
    await storage.users.reactivate(ada.userId, nowPlus(3))
    const free = { active: true, blockedAt: undefined, activeAfterBlock: undefined }
    const active = { ...inactive, ...free, claims: { name: 'Ada' }, updatedAt: nowPlus(3), version: 4 }
    same(await find(), active, 'after a reactivation')
  }),

  law(
    "provisioned users: a provider's change is visible in the status of what was issued",
    async ({ storage, same }) => {
      await seed(storage)
      const issued = { userId: ada.userId, userGeneration: 0 }
      await storage.grants.insert(aGrantRecord(issued))
      await storage.families.insert(aFamilyRecord({ userId: ada.userId }))
      await storage.sessions.insert(aSessionRecord(issued))
      const status = async () => [
        (await storage.status.ofGrant(aGrantRecord().grantId))?.user,
        (await storage.status.ofFamily(aFamilyRecord().familyId))?.user,
        (await storage.status.ofSession(aSessionRecord().digest))?.user,
      ]

      const state = aProvisionedState('ada', { active: false })
      await storage.provisionedUsers.compareAndSwap({ ...request, version: 1, state })
      const inactive = {
        ...toUserRecord(freshUser(ada)),
        active: false,
        generation: 1,
        updatedAt: nowPlus(9),
        version: 2,
      }
      same(await status(), [inactive, inactive, inactive], 'after a deactivation')
      await storage.provisionedUsers.release(request)
      const released = { ...inactive, providerId: undefined, generation: 2, version: 3 }
      same(await status(), [released, released, released], 'after the provider released it')
      await storage.provisionedUsers.adopt({ ...request, version: 3, state: ada.state })
      await storage.provisionedUsers.remove(request)
      same(await status(), [undefined, undefined, undefined], 'after the removal')
    },
  ),
]

const staff = aGroup('staff', { memberIds: [ada.userId] })

async function seed(storage: ScimStorage): Promise<void> {
  await storage.provisionedUsers.insert(ada)
  await storage.groups.insert(staff)
}

/** Checks that `ada` was removed, at `nowPlus(9)`. */
async function checkRemoval({ storage, same }: Trial<ScimStorage>): Promise<void> {
  const { providerId: provider, userId: id, state } = ada
  same(await storage.provisionedUsers.find(provider, id), undefined, 'find')
  same(await storage.provisionedUsers.findByExternalId(provider, 'external-ada'), undefined, 'findByExternalId')
  const list = await storage.provisionedUsers.list(everything)
  same(list, { outcome: 'listed', total: 0, records: [], next: undefined }, 'list')
  same(await storage.users.find(id), undefined, 'the user in UserStore')
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
  same(added, { outcome: 'memberUnknown', memberId: id }, 'joining the group')

  same(await storage.provisionedUsers.insert(ada), { outcome: 'taken', key: 'id' }, 'its identifier')
  const heir = { ...ada, userId: userId('heir') }
  same(await storage.provisionedUsers.insert(heir), { outcome: 'inserted', record: freshUser(heir) }, 'its keys')
}
