import { providerId, userId } from '../../identifiers.ts'
import type { ProvisionedUserChange } from '../../provisioned-user.ts'
import type { ScimStorage } from '../../storage.ts'
import { atOnce, tally } from '../law.ts'
import { law, type StorageLaw } from '../law.ts'
import { aGroup } from '../records/a-group.ts'
import { aProvisionedState, aProvisionedUser, freshAccount } from '../records/a-provisioned-user.ts'
import { aUser } from '../records/a-user.ts'
import { now, nowPlus } from '../records/moments.ts'

/** How an account comes to a provider, and leaves it. */
export const provisionedLinkLaws: readonly StorageLaw<ScimStorage>[] = [
  law(
    'provisioned accounts: an account without provider is adopted, and stays who it is',
    async ({ storage, same }) => {
      await storage.users.insert(aUser({ userId: ada.userId }))
      await storage.users.deactivate(ada.userId, nowPlus(1))

      const result = await storage.provisionedUsers.adopt({ ...adoption, version: 2, now: nowPlus(2) })

      const record = { ...freshAccount(ada), adopted: true, generation: 1, updatedAt: nowPlus(2), version: 3 }
      same(result, { outcome: 'swapped', record }, 'the outcome')
      same(await storage.provisionedUsers.find(ada.providerId, ada.userId), record, 'the account as read')
      const { state } = ada
      const later = await storage.provisionedUsers.compareAndSwap({ ...adoption, state, version: 3, now: nowPlus(3) })
      same(later, { outcome: 'swapped', record: { ...record, updatedAt: nowPlus(3), version: 4 } }, 'after a change')
    },
  ),

  law('provisioned accounts: adopting an active account as inactive ends its use', async ({ storage, same }) => {
    await storage.users.insert(aUser({ userId: ada.userId }))

    const state = aProvisionedState('ada', { active: false })
    const result = await storage.provisionedUsers.adopt({ ...adoption, state })

    const { active, generation } = result.outcome === 'swapped' ? result.record : {}
    same({ active, generation }, { active: false, generation: 1 }, 'the kill switch')
  }),

  law('provisioned accounts: an account of a provider is never adopted', async ({ storage, same }) => {
    await storage.provisionedUsers.insert(ada)
    await storage.users.insert(aUser({ userId: userId('removed') }))
    await storage.users.remove(userId('removed'), now)

    const other = { ...adoption, providerId: providerId('provider-2') }
    same(await storage.provisionedUsers.adopt(other), { outcome: 'absent' }, 'by another provider')
    same(await storage.provisionedUsers.adopt(adoption), { outcome: 'absent' }, 'by its own')
    same(await storage.provisionedUsers.find(ada.providerId, ada.userId), freshAccount(ada), 'the account')
    for (const id of ['removed', 'unknown']) {
      same(await storage.provisionedUsers.adopt({ ...adoption, userId: userId(id) }), { outcome: 'absent' }, id)
    }
  }),

  law('provisioned accounts: adoption is refused as any other change is', async ({ storage, same }) => {
    await storage.users.insert(aUser({ userId: ada.userId }))
    await storage.provisionedUsers.insert(aProvisionedUser('grace'))
    const before = await storage.users.find(ada.userId)
    const { externalId, comparable } = aProvisionedState('grace')

    const late = await storage.provisionedUsers.adopt({ ...adoption, version: 2 })
    same(late, { outcome: 'conflict' }, 'another version')
    const named = { ...adoption, state: aProvisionedState('ada', { comparable }) }
    same(await storage.provisionedUsers.adopt(named), { outcome: 'taken', key: 'userName' }, 'a userName of another')
    const known = { ...adoption, state: aProvisionedState('ada', { externalId }) }
    same(
      await storage.provisionedUsers.adopt(known),
      { outcome: 'taken', key: 'externalId' },
      'an externalId of another',
    )
    same(await storage.users.find(ada.userId), before, 'the account')
    same(await storage.provisionedUsers.find(ada.providerId, ada.userId), undefined, 'the account for the provider')
  }),

  law(
    'provisioned accounts: of 8 providers that adopt one account at once one has it',
    async ({ storage, server, same }) => {
      await storage.users.insert(aUser({ userId: ada.userId }))

      const results = await atOnce(8, (index) =>
        server(index).provisionedUsers.adopt({ ...adoption, providerId: providerId(`provider-${index}`) }),
      )

      same(tally(results)['swapped'], 1, 'how many adopted it')
      same((await storage.users.find(ada.userId))?.version, 2, 'the version')
      const winner = results.find((result) => result.outcome === 'swapped')
      for (let index = 0; index < 8; index += 1) {
        const found = await storage.provisionedUsers.find(providerId(`provider-${index}`), ada.userId)
        const isOwn = winner?.outcome === 'swapped' && winner.record.providerId === `provider-${index}`
        same(found, isOwn ? winner.record : undefined, `the account as provider-${index} reads it`)
      }
    },
  ),

  law(
    'provisioned accounts: letting go ends the link, the memberships and the use, and keeps the account',
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

      const account = { ...aUser({ userId: ada.userId, claims: ada.state.claims }), generation: 1, version: 2 }
      const inactive = { ...account, active: false, updatedAt: nowPlus(9) }
      same(await storage.users.find(ada.userId), inactive, 'the account as core reads it')
      same(await storage.provisionedUsers.find(ada.providerId, ada.userId), undefined, 'the account for the provider')
      await membershipsEnded(storage, same)
      const heir = await storage.provisionedUsers.insert({ ...ada, userId: userId('heir') })
      same(heir.outcome, 'inserted', 'another account with its keys')
    },
  ),

  law(
    'provisioned accounts: letting go of an inactive account advances its generation too',
    async ({ storage, same }) => {
      await storage.provisionedUsers.insert(ada)
      await storage.users.deactivate(ada.userId, nowPlus(1))

      same(await storage.provisionedUsers.release(request), { outcome: 'removed' }, 'the release, with any version')

      const { active, generation, version } = (await storage.users.find(ada.userId)) ?? {}
      same({ active, generation, version }, { active: false, generation: 2, version: 3 }, 'the account')
    },
  ),

  law(
    'provisioned accounts: an account that comes back brings no membership and revives nothing',
    async ({ storage, same }) => {
      await storage.provisionedUsers.insert(ada)
      await storage.groups.insert(group)
      await storage.provisionedUsers.release(request)

      const result = await storage.provisionedUsers.adopt({ ...adoption, version: 2, now: nowPlus(10) })

      const record = { ...freshAccount(ada), adopted: true, generation: 1, updatedAt: nowPlus(10), version: 3 }
      same(result, { outcome: 'swapped', record }, 'the outcome')
      await membershipsEnded(storage, same)
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

async function membershipsEnded(
  storage: ScimStorage,
  same: (found: unknown, expected: unknown, about: string) => void,
): Promise<void> {
  const found = await storage.groups.find(group.providerId, group.groupId)
  same({ version: found?.version, updatedAt: found?.updatedAt }, { version: 2, updatedAt: nowPlus(9) }, 'the group')
  const members = await storage.groups.membersOf(group.providerId, [group.groupId])
  same([...members], [[group.groupId, []]], 'its members')
}
