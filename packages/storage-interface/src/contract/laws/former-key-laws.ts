import { type ProviderId, providerId } from '../../values.ts'
import type { ProvisionedState, RemovalRequest } from '../../provisioned-user.ts'
import type { ScimStorage } from '../../storage.ts'
import { nowPlus } from '../fixtures.ts'
import { type StorageLaw, law } from '../law.ts'
import { aProvisionedState, aProvisionedUser } from '../provisioning-fixtures.ts'

/** A block applies to the keys that a user had before the host linked the user again. */
export const formerKeyLaws: readonly StorageLaw<ScimStorage>[] = [
  law(
    'provisioned users: a new user with an externalId or userName that a blocked user had when leaving a provider is blocked',
    async (trial) => {
      const { storage, same } = trial
      const blockedAt = nowPlus(1)
      const links: Readonly<Record<string, LinkedAgain>> = {
        'is linked again': {},
        'is linked again by another provider': { by: providerId('provider-2') },
        'is linked again and released': { leave: (target) => storage.provisionedUsers.release(target) },
        'is linked again and removed': { leave: (target) => storage.provisionedUsers.remove(target) },
        'is linked again and removed by the host': {
          leave: (target) => storage.users.remove(target.userId, target.now),
        },
        'is linked again by another provider, which releases the user': {
          by: providerId('provider-2'),
          leave: (target) => storage.provisionedUsers.release(target),
        },
        'is blocked after it was linked again and released': {
          isBlockedLater: true,
          leave: (target) => storage.provisionedUsers.release(target),
        },
        'is blocked after it was linked again and removed': {
          isBlockedLater: true,
          leave: (target) => storage.provisionedUsers.remove(target),
        },
      }
      for (const [name, { by = ada.providerId, isBlockedLater = false, leave }] of Object.entries(links)) {
        const user = aProvisionedUser(name)
        await storage.provisionedUsers.insert(user)
        if (!isBlockedLater) await storage.users.deactivate(user.userId, blockedAt)
        await storage.provisionedUsers.release({ ...user, version: undefined, now: nowPlus(2) })
        const again = { userId: user.userId, providerId: by, state: aProvisionedState(`${name}, again`) }
        const version = isBlockedLater ? 2 : 3
        const { outcome } = await storage.provisionedUsers.adopt({ ...again, version, now: nowPlus(3) })
        same(outcome, 'swapped', `${name}: the link`)
        await leave?.({ ...again, version: undefined, now: nowPlus(4) })
        if (isBlockedLater) await storage.users.deactivate(user.userId, blockedAt)

        same(
          await storage.provisionedUsers.hasRemoved(ada.providerId, `external-${name}`),
          true,
          `${name}: the removal`,
        )
        const keys: Readonly<Record<string, Partial<ProvisionedState>>> = {
          externalId: { comparable: { userName: `new name of ${name}` } },
          userName: { externalId: `new externalId of ${name}` },
        }
        for (const [key, state] of Object.entries(keys)) {
          const next = aProvisionedUser(`${key} of ${name}`, { state: aProvisionedState(name, state) })
          await storage.provisionedUsers.insert(next)
          const found = await storage.users.find(next.userId)
          const block = { active: found?.active, blockedAt: found?.blockedAt }
          same(block, { active: false, blockedAt }, `the next user with the ${key} of a user who ${name}`)
        }
      }
    },
  ),

  law(
    'provisioned users: lifting a block lifts it from every externalId and userName that the user had when leaving a provider',
    async (trial) => {
      const { storage, same } = trial
      await storage.provisionedUsers.insert(ada)
      await storage.users.deactivate(ada.userId, nowPlus(1))
      await storage.provisionedUsers.release({ ...ada, version: undefined, now: nowPlus(2) })
      await storage.provisionedUsers.adopt({ ...ada, state: aProvisionedState('again'), version: 3, now: nowPlus(3) })
      await storage.provisionedUsers.release({ ...ada, version: undefined, now: nowPlus(4) })

      await storage.users.reactivate(ada.userId, nowPlus(5))

      for (const label of ['ada', 'again']) {
        const next = aProvisionedUser(`next of ${label}`, { state: aProvisionedState(label) })
        await storage.provisionedUsers.insert(next)
        same((await storage.users.find(next.userId))?.active, true, `the next user with the keys of ${label}`)
      }
    },
  ),
]

/** What happens to a released user afterwards. */
interface LinkedAgain {
  /** The provider that links the user; by default, the provider of `ada`. */
  readonly by?: ProviderId
  /** Releases or removes the user again. */
  readonly leave?: (target: RemovalRequest) => Promise<unknown>
  /** Whether the host blocks the user after all this instead of before. */
  readonly isBlockedLater?: boolean
}

const ada = aProvisionedUser('ada')
