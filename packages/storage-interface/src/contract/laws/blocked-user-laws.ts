// One file, because these laws are about one rule: how a block survives removals and changes.
import { providerId, userId } from '../../values.ts'
import type { ProvisionedState, RemovalRequest } from '../../provisioned-user.ts'
import type { ScimStorage } from '../../storage.ts'
import { now, nowPlus } from '../fixtures.ts'
import { type StorageLaw, atOnce, law } from '../law.ts'
import { aProvisionedState, aProvisionedUser, aUserChange, toUserRecord, freshUser } from '../provisioning-fixtures.ts'

/** Blocks by the host, which providers cannot lift. */
export const blockedUserLaws: readonly StorageLaw<ScimStorage>[] = [
  law('provisioned users: no change by the provider makes a blocked user active', async ({ storage, same }) => {
    await storage.provisionedUsers.insert(ada)
    await storage.users.deactivate(ada.userId, nowPlus(1))
    const blocked = { active: false, blockedAt: nowPlus(1), generation: 1 }

    for (const [version, active] of [
      [2, true],
      [3, false],
      [4, true],
    ] as const) {
      const swapped = await storage.provisionedUsers.compareAndSwap(change({ active }, version))
      const record = {
        ...fresh,
        ...blocked,
        activeAfterBlock: active,
        updatedAt: nowPlus(version),
        version: version + 1,
      }
      same(swapped, { outcome: 'swapped', record }, `active: ${active}`)
      same(await storage.provisionedUsers.find(ada.providerId, ada.userId), record, 'the user as read')
      same(await storage.users.find(ada.userId), toUserRecord(record), 'the user as UserStore reads it')
    }
  }),

  law("provisioned users: lifting a block restores the provider's decision", async ({ storage, same }) => {
    for (const active of [true, false]) {
      const user = aProvisionedUser(`user-${active}`)
      await storage.provisionedUsers.insert(user)
      await storage.users.deactivate(user.userId, nowPlus(1))
      const { providerId: provider, userId: id, state } = user
      await storage.provisionedUsers.compareAndSwap({
        providerId: provider,
        userId: id,
        version: 2,
        state: { ...state, active },
        now: nowPlus(2),
      })

      const { outcome } = await storage.users.reactivate(id, nowPlus(3))

      const found = await storage.users.find(id)
      same(outcome, 'changed', 'the outcome')
      same(
        { active: found?.active, blockedAt: found?.blockedAt, after: found?.activeAfterBlock, gen: found?.generation },
        { active, blockedAt: undefined, after: undefined, gen: 1 },
        `the user whose provider state is ${active ? 'active' : 'inactive'}`,
      )
      const again = await storage.users.reactivate(id, nowPlus(4))
      same(again.outcome, active ? 'unchanged' : 'changed', 'reactivating it again')
      same((await storage.users.find(id))?.active, true, 'the user after that')
    }
  }),

  law('provisioned users: a user whom the provider deactivated can be blocked', async ({ storage, same }) => {
    await storage.provisionedUsers.insert(ada)
    await storage.provisionedUsers.compareAndSwap(change({ active: false }, 1))

    const { outcome } = await storage.users.deactivate(ada.userId, nowPlus(2))
    await storage.provisionedUsers.compareAndSwap(change({ active: true }, 3))

    const found = await storage.users.find(ada.userId)
    same(
      { outcome, active: found?.active, gen: found?.generation },
      { outcome: 'changed', active: false, gen: 1 },
      'the user',
    )
  }),

  law('provisioned users: a user who is removed while blocked stays blocked when created again', async (trial) => {
    const { storage, same } = trial
    const create = async (label: string, state: Partial<ProvisionedState>, provider = 'provider-1') => {
      const user = aProvisionedUser(label, {
        providerId: providerId(provider),
        state: aProvisionedState('ada', state),
      })
      const inserted = await storage.provisionedUsers.insert(user)
      const found = await storage.users.find(user.userId)
      same(inserted.outcome === 'inserted' && toUserRecord(inserted.record), found, 'the record that was returned')
      await storage.provisionedUsers.remove({ ...user, version: undefined, now: nowPlus(20) })
      return { active: found?.active, blockedAt: found?.blockedAt }
    }
    await storage.provisionedUsers.insert(ada)
    await storage.users.deactivate(ada.userId, nowPlus(1))
    await storage.provisionedUsers.remove({ ...ada, version: undefined, now: nowPlus(2) })

    const blocked = { active: false, blockedAt: nowPlus(1) }
    const free = { active: true, blockedAt: undefined }
    const other = { externalId: 'other', comparable: { userName: 'other' } }
    same(await create('elsewhere', {}, 'provider-2'), free, 'by another provider')
    same(await create('another', other), free, 'another user')
    same(await create('both', {}), blocked, 'with both keys')
    same(await create('named', { externalId: 'new' }), blocked, 'with its userName')
    same(await create('nameless', { externalId: undefined }), blocked, 'with its userName alone')
    same(await create('external', { comparable: { userName: 'new' } }), blocked, 'with its externalId')
  }),

  law(
    'provisioned users: a user who gets a key of a user who was removed while blocked is blocked too',
    async (trial) => {
      const { storage, same } = trial
      await storage.provisionedUsers.insert(ada)
      await storage.users.deactivate(ada.userId, nowPlus(1))
      await storage.provisionedUsers.remove({ ...ada, version: undefined, now: nowPlus(2) })
      const take = async (label: string, keys: Partial<ProvisionedState>) => {
        const user = aProvisionedUser(label)
        await storage.provisionedUsers.insert(user)
        const swapped = await storage.provisionedUsers.compareAndSwap({
          ...user,
          version: 1,
          state: { ...user.state, ...keys },
          now: nowPlus(3),
        })
        const found = await storage.users.find(user.userId)
        same(swapped.outcome === 'swapped' && toUserRecord(swapped.record), found, 'the record that was returned')
        await storage.provisionedUsers.remove({ ...user, version: undefined, now: nowPlus(20) })
        const { active, blockedAt, activeAfterBlock, generation } = found ?? {}
        return { active, blockedAt, activeAfterBlock, generation }
      }

      const blocked = { active: false, blockedAt: nowPlus(1), activeAfterBlock: true, generation: 1 }
      const free = { active: true, blockedAt: undefined, activeAfterBlock: undefined, generation: 0 }
      same(await take('free', { externalId: 'other' }), free, 'with another key')
      same(await take('external', { externalId: ada.state.externalId }), blocked, 'with the externalId')
      same(await take('named', { comparable: ada.state.comparable }), blocked, 'with the userName')
      same(
        await take('inactive', { comparable: ada.state.comparable, active: false }),
        { ...blocked, activeAfterBlock: false },
        'while deactivated',
      )
    },
  ),

  law(
    'provisioned users: blocking a user who was just removed blocks the next user with the same keys',
    async ({ storage, same }) => {
      await storage.provisionedUsers.insert(ada)
      await storage.provisionedUsers.remove({ ...ada, version: undefined, now: nowPlus(1) })

      const { outcome } = await storage.users.deactivate(ada.userId, nowPlus(2))

      same(outcome, 'absent', 'the outcome')
      const again = aProvisionedUser('again', { state: ada.state })
      await storage.provisionedUsers.insert(again)
      const found = await storage.users.find(again.userId)
      const { active, blockedAt } = found ?? {}
      same({ active, blockedAt }, { active: false, blockedAt: nowPlus(2) }, 'the next user')
      const other = aProvisionedUser('other')
      await storage.provisionedUsers.insert(other)
      same((await storage.users.find(other.userId))?.active, true, 'another user')
    },
  ),

  law(
    'provisioned users: a block applies to the next user even if a linked user had the keys in between',
    async (trial) => {
      const { storage, same } = trial
      await storage.provisionedUsers.insert(ada)
      await storage.users.deactivate(ada.userId, nowPlus(1))
      await storage.provisionedUsers.remove({ ...ada, version: undefined, now: nowPlus(2) })
      const leave = {
        released: (target: RemovalRequest) => storage.provisionedUsers.release(target),
        removed: (target: RemovalRequest) => storage.provisionedUsers.remove(target),
        'removed by the host': (target: RemovalRequest) => storage.users.remove(target.userId, target.now),
      }
      const keys: Readonly<Record<string, Partial<ProvisionedState>>> = {
        both: {},
        externalId: { comparable: { userName: 'another' } },
        userName: { externalId: 'another' },
      }
      for (const [way, run] of Object.entries(leave)) {
        for (const [name, state] of Object.entries(keys)) {
          const linked = { userId: userId(`${way} ${name}`), providerId: ada.providerId }
          await storage.users.insert({ userId: linked.userId, claims: {}, createdAt: nowPlus(2) })
          const adopt = { ...linked, version: 1, state: aProvisionedState('ada', state), now: nowPlus(3) }
          const adopted = await storage.provisionedUsers.adopt(adopt)
          same(
            adopted.outcome === 'swapped' && adopted.record.active,
            true,
            `${way}, ${name}: a user whom the host linked is active`,
          )
          await run({ ...linked, version: undefined, now: nowPlus(4) })

          const next = aProvisionedUser(`next of ${way} ${name}`, { state: adopt.state })
          await storage.provisionedUsers.insert(next)
          const { active, blockedAt } = (await storage.users.find(next.userId)) ?? {}
          same({ active, blockedAt }, { active: false, blockedAt: nowPlus(1) }, `${way}, ${name}: the next user`)
          await storage.provisionedUsers.remove({ ...next, version: undefined, now: nowPlus(5) })
        }
      }
      same(await storage.provisionedUsers.hasRemoved(ada.providerId, 'external-ada'), true, 'the removal stays known')
    },
  ),

  law(
    'provisioned users: a block applies to the next user even if other users left in the same second',
    async (trial) => {
      const { storage, same } = trial
      const linked = { userId: userId('linked'), providerId: ada.providerId }
      await storage.users.insert({ userId: linked.userId, claims: {}, createdAt: now })
      await storage.provisionedUsers.insert(ada)
      await storage.provisionedUsers.remove({ ...ada, version: undefined, now: nowPlus(1) })
      await storage.provisionedUsers.adopt({ ...linked, version: 1, state: ada.state, now: nowPlus(1) })
      await storage.users.deactivate(linked.userId, nowPlus(1))
      await storage.provisionedUsers.release({ ...linked, version: undefined, now: nowPlus(1) })

      const next = aProvisionedUser('next', { state: ada.state })
      await storage.provisionedUsers.insert(next)
      same((await storage.users.find(next.userId))?.active, false, 'the next user')
    },
  ),

  law(
    'provisioned users: a block that the host has lifted does not apply to the next user',
    async ({ storage, same }) => {
      await storage.provisionedUsers.insert(ada)
      await storage.users.deactivate(ada.userId, nowPlus(1))
      await storage.provisionedUsers.remove({ ...ada, version: undefined, now: nowPlus(2) })
      const again = aProvisionedUser('again', { state: ada.state })
      await storage.provisionedUsers.insert(again)

      await storage.users.reactivate(again.userId, nowPlus(3))
      await storage.provisionedUsers.remove({ ...again, version: undefined, now: nowPlus(4) })

      const last = aProvisionedUser('last', { state: ada.state })
      await storage.provisionedUsers.insert(last)
      const found = await storage.users.find(last.userId)
      same(
        { active: found?.active, blockedAt: found?.blockedAt },
        { active: true, blockedAt: undefined },
        'the last one',
      )
    },
  ),

  law('provisioned users: a block that races with changes by the provider is not lost', async (trial) => {
    const { storage, server, same } = trial
    await storage.provisionedUsers.insert(ada)

    await atOnce(8, async (index) => {
      if (index === 4) return server(index).users.deactivate(ada.userId, now)
      return server(index).provisionedUsers.compareAndSwap(change({ active: index % 2 === 0 }, 1))
    })

    const found = await storage.users.find(ada.userId)
    same({ active: found?.active, blockedAt: found?.blockedAt }, { active: false, blockedAt: now }, 'the user')
    for (const version of [2, 3, 4]) await storage.provisionedUsers.compareAndSwap(change({ active: true }, version))
    same((await storage.users.find(ada.userId))?.active, false, 'after further changes')
  }),
]

const ada = aProvisionedUser('ada')
const fresh = freshUser(ada)

/** Returns a change of `ada` by a writer that read `version`. */
const change = (state: Partial<ProvisionedState>, version: number) => aUserChange('ada', state, version)
