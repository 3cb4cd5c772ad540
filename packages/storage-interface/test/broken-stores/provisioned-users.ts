import { type JsonObject } from '@mintmark/storage-interface'
import {
  type ProviderId,
  type ProvisionedState,
  type SessionStatus,
  jsonText,
} from '@mintmark/storage-interface/stores'
import { aGroup } from '@mintmark/storage-interface/fixtures'
import { letOthersGoFirst, breakStore, type BrokenStore } from './break-store.ts'

const inserted = { outcome: 'inserted' } as const
const removed = { outcome: 'removed' } as const

/** A store where a change by the provider lifts the block of a user. */
const liftBlocks = breakStore('provisionedUsers', (honest, storage) => ({
  compareAndSwap: async (change) => {
    const user = await honest.find(change.providerId, change.userId)
    const swapped = await honest.compareAndSwap(change)
    if (user?.blockedAt === undefined || swapped.outcome !== 'swapped' || !change.state.active) return swapped
    await storage.users.reactivate(change.userId, change.now)
    return swapped
  },
}))

/** A store where the next user inherits the block of a removed user never, or always, even after the host has lifted it. */
const inheritBlocks = (inherited: 'never' | 'always'): BrokenStore =>
  breakStore('provisionedUsers', (honest, storage, seen) => ({
    remove: async (request) => {
      const user = await honest.find(request.providerId, request.userId)
      if (user?.blockedAt !== undefined) seen.set('block', true)
      return honest.remove(request)
    },
    insert: async (user) => {
      const result = await honest.insert(user)
      if (inherited === 'always' && seen.has('block')) await storage.users.deactivate(user.userId, user.createdAt)
      if (inherited === 'never') await storage.users.reactivate(user.userId, user.createdAt)
      return result
    },
  }))

/** A store where nobody who is created after the first link inherits a block. */
const forgetBlocksAfterLinks = breakStore('provisionedUsers', (honest, storage, seen) => ({
  adopt: (change) => {
    seen.set('linked', true)
    return honest.adopt(change)
  },
  insert: async (user) => {
    const inserted = await honest.insert(user)
    if (seen.has('linked')) await storage.users.reactivate(user.userId, user.createdAt)
    return inserted
  },
}))

/**
 * One broken store for each law about identity providers and their users. They are in one file because each is only a few
 * lines.
 */
export const brokenProviderStores: Readonly<Record<string, BrokenStore>> = {
  'provisioned users: no change by the provider makes a blocked user active': liftBlocks,
  'provisioned users: a block that races with changes by the provider is not lost': liftBlocks,
  'provisioned users: a value that is declared unique belongs to one user of a provider': breakStore(
    'provisionedUsers',
    () => ({ indexAttributes: async () => undefined }),
  ),
  "provisioned users: lifting a block restores the provider's decision": breakStore('users', (honest) => ({
    reactivate: async (id, now) => {
      await honest.reactivate(id, now)
      return honest.reactivate(id, now)
    },
  })),
  'provisioned users: a user whom the provider deactivated can be blocked': breakStore('users', (honest) => ({
    deactivate: async (id, now) => {
      const record = await honest.find(id)
      return record?.active === false ? { outcome: 'unchanged', record } : honest.deactivate(id, now)
    },
  })),
  'provisioned users: a user who is removed while blocked stays blocked when created again': inheritBlocks('never'),
  'provisioned users: a user who gets a key of a user who was removed while blocked is blocked too': breakStore(
    'provisionedUsers',
    (honest, storage) => ({
      compareAndSwap: async (change) => {
        const swapped = await honest.compareAndSwap(change)
        await storage.users.reactivate(change.userId, change.now)
        return swapped
      },
    }),
  ),
  'provisioned users: a block that the host has lifted does not apply to the next user': inheritBlocks('always'),
  'provisioned users: a block applies to the next user even if a linked user had the keys in between':
    forgetBlocksAfterLinks,
  'provisioned users: a block applies to the next user even if other users left in the same second':
    forgetBlocksAfterLinks,
  'provisioned users: a new user with an externalId or userName that a blocked user had when leaving a provider is blocked':
    forgetBlocksAfterLinks,
  'provisioned users: lifting a block lifts it from every externalId and userName that the user had when leaving a provider':
    breakStore('users', () => ({
      reactivate: async () => ({ outcome: 'absent' }),
    })),
  'provisioned users: blocking a user who was just removed blocks the next user with the same keys': breakStore(
    'users',
    (honest) => ({
      deactivate: async (id, now) =>
        (await honest.find(id)) === undefined ? { outcome: 'absent' } : honest.deactivate(id, now),
    }),
  ),
  'provisioned users: with unlessRemoved, a removed user is neither inserted nor adopted': breakStore(
    'provisionedUsers',
    (honest) => ({ adopt: (change) => honest.adopt({ ...change, unlessRemoved: false }) }),
  ),
  'provisioned users: a sign-in does not recreate a user whom the directory creates and removes meanwhile': breakStore(
    'provisionedUsers',
    (honest) => ({
      insert: async ({ unlessRemoved = false, ...user }) => {
        const { providerId, state } = user
        const isRemoved = unlessRemoved && (await honest.hasRemoved(providerId, state.externalId ?? ''))
        await letOthersGoFirst()
        return isRemoved ? { outcome: 'removed' } : honest.insert(user)
      },
    }),
  ),
  'provisioned users: the externalId of a removed or released user is remembered per provider': breakStore(
    'provisionedUsers',
    () => ({ hasRemoved: () => Promise.resolve(false) }),
  ),
  'identity providers: an identifier is inserted at most once, and the first record stays': breakStore(
    'identityProviders',
    (honest) => ({ insert: async (provider) => (await honest.insert(provider), inserted) }),
  ),
  'identity providers: a removed provider is absent for every method, and its identifier stays taken': breakStore(
    'identityProviders',
    (honest, _storage, seen) => ({
      remove: async (id, now) => {
        seen.set(id, true)
        return honest.remove(id, now)
      },
      insert: async (provider) => (seen.has(provider.providerId) ? inserted : honest.insert(provider)),
    }),
  ),
  'identity providers: a disabled provider is found and listed with disabledAt': breakStore(
    'identityProviders',
    (honest) => ({
      find: async (id) => {
        const provider = await honest.find(id)
        return provider?.disabledAt === undefined ? provider : undefined
      },
    }),
  ),
  'identity providers: those that have one issuer for their assertions are listed, also when disabled, and not when removed':
    breakStore('identityProviders', (honest) => ({
      listByAssertionIssuer: async (issuer, limit) =>
        (await honest.listByAssertionIssuer(issuer, limit)).filter(({ disabledAt }) => disabledAt === undefined),
    })),
  'identity providers: of concurrent writers that read the same version, one succeeds': breakStore(
    'identityProviders',
    (honest) => ({
      compareAndSwap: async (provider, version) => {
        const current = await honest.find(provider.providerId)
        return honest.compareAndSwap(provider, current?.version ?? version)
      },
    }),
  ),
  'identity providers: compareAndSwap compares the version that was read, not the version in the record': breakStore(
    'identityProviders',
    (honest) => ({ compareAndSwap: (provider) => honest.compareAndSwap(provider, provider.version) }),
  ),
  'identity providers: recording the use of a secret changes nothing else': breakStore(
    'identityProviders',
    (honest) => ({
      touchSecret: async (id, digest, now) => {
        const provider = await honest.find(id)
        if (provider === undefined) return
        const secrets = provider.secrets.map((secret) =>
          secret.digest === digest ? { ...secret, lastUsedAt: now } : secret,
        )
        await honest.compareAndSwap({ ...provider, secrets }, provider.version)
      },
    }),
  ),
  'identity providers: a list is in the order of identifiers, and can start after a given identifier': breakStore(
    'identityProviders',
    (honest) => ({ list: async (page) => (await honest.list(page)).toReversed() }),
  ),

  'round trip: every character of the text of a resource': breakStore('provisionedUsers', (honest) => ({
    insert: (user) => {
      // Like a JSON column, which parses and serialises the text and so changes it.
      const resource = jsonText(JSON.parse(user.state.resource) as JsonObject)
      return honest.insert({ ...user, state: { ...user.state, resource } })
    },
  })),
  "provisioned users: a new user has the provider's state, generation 0 and version 1": breakStore(
    'provisionedUsers',
    (honest) => ({ insert: (user) => honest.insert({ ...user, state: { ...user.state, active: true } }) }),
  ),
  'provisioned users: an identifier is never used twice, even by another provider': breakStore('users', (honest) => ({
    insert: async (user) => (await honest.insert(user), inserted),
  })),
  'provisioned users: userName and externalId are unique within a provider': breakStore(
    'provisionedUsers',
    (honest) => ({
      insert: async (user) => {
        const result = await honest.insert(user)
        return result.outcome === 'taken' ? { outcome: 'taken', key: 'userName' } : result
      },
    }),
  ),
  'provisioned users: of 8 concurrent insertions with the same key, one succeeds': breakStore(
    'provisionedUsers',
    (honest) => ({
      insert: async (user) => {
        await letOthersGoFirst()
        return honest.insert({ ...user, state: withUniqueKeys(user.state, user.userId) })
      },
    }),
  ),
  'provisioned users: a user is found by their current externalId': breakStore(
    'provisionedUsers',
    (honest, _storage, seen) => ({
      insert: async (user) => {
        if (user.state.externalId !== undefined) seen.set(user.state.externalId, user.userId)
        return honest.insert(user)
      },
      findByExternalId: async (providerId, externalId) => {
        const userId = seen.get(externalId)
        return typeof userId === 'string'
          ? honest.find(providerId, userId as never)
          : honest.findByExternalId(providerId, externalId)
      },
    }),
  ),
  'provisioned users: a userName or externalId that a user no longer has is available again': breakStore(
    'provisionedUsers',
    (honest, _storage, seen) => ({
      insert: async (user) => {
        if (seen.has(`${user.state.externalId}`)) return { outcome: 'taken', key: 'externalId' }
        seen.set(`${user.state.externalId}`, true)
        return honest.insert(user)
      },
    }),
  ),

  'provisioned users: setting active to false advances the generation once, in the same write': breakStore(
    'provisionedUsers',
    (honest, storage) => ({
      compareAndSwap: async (change) => {
        const result = await honest.compareAndSwap({ ...change, state: { ...change.state, active: true } })
        if (!change.state.active) await storage.users.deactivate(change.userId, change.now)
        return result
      },
    }),
  ),
  'provisioned users: setting active to true reactivates the user and keeps the generation': breakStore(
    'provisionedUsers',
    (honest) => ({
      compareAndSwap: async (change) => {
        const result = await honest.compareAndSwap(change)
        if (result.outcome !== 'swapped' || !result.record.active) return result
        return { ...result, record: { ...result.record, generation: 0 } }
      },
    }),
  ),
  'provisioned users: a change replaces the whole provider state and nothing else': breakStore(
    'provisionedUsers',
    (honest) => ({
      compareAndSwap: async (change) => {
        const current = await honest.find(change.providerId, change.userId)
        const { resource, renderKey } = current ?? change.state
        return honest.compareAndSwap({ ...change, state: { ...change.state, resource, renderKey } })
      },
    }),
  ),
  'provisioned users: a change that keeps the resource has the effect of a change that repeats it': breakStore(
    'provisionedUsers',
    (honest) => ({
      compareAndSwap: (change) => {
        const { state } = change
        return honest.compareAndSwap({
          ...change,
          state: state.comparable === 'unchanged' ? { ...state, comparable: {} } : state,
        })
      },
    }),
  ),
  'provisioned users: of concurrent writers that read the same version, one succeeds': breakStore(
    'provisionedUsers',
    (honest) => ({
      compareAndSwap: async (change) => {
        const current = await honest.find(change.providerId, change.userId)
        return honest.compareAndSwap({ ...change, version: current?.version ?? change.version })
      },
    }),
  ),
  'provisioned users: a change to a key that another user has is refused, and writes nothing': breakStore(
    'provisionedUsers',
    (honest, storage) => ({
      compareAndSwap: async (change) => {
        const result = await honest.compareAndSwap(change)
        if (result.outcome === 'taken' && !change.state.active)
          await storage.users.deactivate(change.userId, change.now)
        return result
      },
    }),
  ),
  'provisioned users: of 8 concurrent changes to the same key, one succeeds': breakStore(
    'provisionedUsers',
    (honest) => ({
      compareAndSwap: async (change) => {
        await letOthersGoFirst()
        return honest.compareAndSwap({ ...change, state: withUniqueKeys(change.state, change.userId) })
      },
    }),
  ),
  "provisioned users: a deactivation that races with a provider's change is not lost": breakStore(
    'provisionedUsers',
    (honest, storage) => ({
      compareAndSwap: async (change) => {
        const row = await honest.find(change.providerId, change.userId)
        await letOthersGoFirst()
        if (row?.active === true) await storage.users.reactivate(change.userId, change.now)
        return honest.compareAndSwap(change)
      },
    }),
  ),

  'provisioned users: a user without a provider is adopted and keeps their identifier': breakStore(
    'provisionedUsers',
    (honest) => ({
      adopt: async (change) => {
        const result = await honest.adopt(change)
        return result.outcome === 'swapped' ? { ...result, record: { ...result.record, adopted: false } } : result
      },
    }),
  ),
  'provisioned users: adopting an active user as inactive advances the generation': breakStore(
    'provisionedUsers',
    (honest) => ({
      adopt: (change) => honest.adopt({ ...change, state: { ...change.state, active: true } }),
    }),
  ),
  'provisioned users: a user of a provider is never adopted': breakStore('provisionedUsers', (honest) => ({
    adopt: async (change) => {
      await honest.release({ ...change, providerId: aGroup('any').providerId })
      return honest.adopt({ ...change, version: change.version + 1 })
    },
  })),
  'provisioned users: adoption is refused for the same reasons as a change': breakStore(
    'provisionedUsers',
    (honest) => ({
      adopt: (change) => honest.adopt({ ...change, version: 1 }),
    }),
  ),
  'provisioned users: of 8 providers that adopt the same user concurrently, one succeeds': breakStore(
    'provisionedUsers',
    (honest, _storage, seen) => ({
      adopt: async (change) => {
        const version = Number(seen.get('version') ?? 1)
        const owner = seen.get('owner')
        if (owner !== undefined)
          await honest.release({ ...change, providerId: owner as ProviderId, version: undefined })
        seen.set('owner', change.providerId)
        seen.set('version', version + 2)
        return honest.adopt({ ...change, version })
      },
    }),
  ),
  'provisioned users: release removes the link and the memberships, deactivates the user and keeps the row': breakStore(
    'provisionedUsers',
    (honest) => ({ release: (request) => honest.remove(request) }),
  ),
  'provisioned users: releasing a user who is already inactive advances the generation again': breakStore(
    'users',
    (honest) => ({
      find: async (userId) => {
        const user = await honest.find(userId)
        return user && { ...user, generation: Math.min(user.generation, 1) }
      },
    }),
  ),
  'provisioned users: a user who is adopted again has no memberships and a later generation': breakStore(
    'provisionedUsers',
    (honest, storage, seen) => ({
      release: async (request) => {
        seen.set('groups', (await honest.find(request.providerId, request.userId))?.groups)
        return honest.release(request)
      },
      adopt: async (change) => {
        const result = await honest.adopt(change)
        const { groupId } = aGroup('staff')
        const members = { kind: 'delta', add: [change.userId], remove: [] } as const
        if (seen.has('groups'))
          await storage.groups.change({ ...change, groupId, version: undefined, state: undefined, members })
        return result
      },
    }),
  ),

  'provisioned users: a removed user is absent for every method, and the keys are free but not the identifier':
    breakStore('provisionedUsers', (honest) => ({ remove: (request) => honest.release(request) })),
  'provisioned users: a user who is removed through UserStore is removed for the provider': breakStore(
    'users',
    (honest) => ({
      remove: async (userId, now) =>
        (await honest.deactivate(userId, now)).outcome === 'absent' ? { outcome: 'absent' } : removed,
    }),
  ),
  'provisioned users: of 8 concurrent removals, one removes the user': breakStore('provisionedUsers', (honest) => ({
    remove: async (request) => (await honest.remove(request), removed),
  })),
  'provisioned users: a change through UserStore is visible to the provider': breakStore(
    'provisionedUsers',
    (honest, storage) => ({
      find: async (providerId, userId) => {
        const record = await honest.find(providerId, userId)
        return record && { ...record, active: (await storage.users.find(userId)) !== undefined }
      },
    }),
  ),
  "provisioned users: a provider's change is visible in the status of what was issued": breakStore(
    'status',
    (honest, _storage, seen) => ({
      ofSession: async (digest) => {
        const answer = (seen.get(digest) as SessionStatus | undefined) ?? (await honest.ofSession(digest))
        seen.set(digest, answer)
        return answer
      },
    }),
  ),
}

/** Replaces the keys with unique ones, so that no insertion conflicts, as in a store without unique indexes. */
const withUniqueKeys = (state: Omit<ProvisionedState, 'comparable'>, userId: string): ProvisionedState => ({
  ...state,
  externalId: userId,
  comparable: { userName: userId },
})
