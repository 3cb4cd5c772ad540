import { jsonText, type JsonObject, type ProviderId } from '@mintmark/storage-interface'
import { type ProvisionedState, type SessionStatus } from '@mintmark/storage-interface/stores'
import { aGroup } from '@mintmark/storage-interface/fixtures'
import { letOthersGoFirst, sabotage, type Saboteur } from './sabotage.ts'

const inserted = { outcome: 'inserted' } as const
const removed = { outcome: 'removed' } as const

/** One broken store for each law of identity providers and of their accounts. */
export const providerSaboteurs: Readonly<Record<string, Saboteur>> = {
  'identity providers: an identifier is inserted at most once, and the first record stays': sabotage(
    'identityProviders',
    (honest) => ({ insert: async (provider) => (await honest.insert(provider), inserted) }),
  ),
  'identity providers: a removed one is gone for every method, and its identifier stays taken': sabotage(
    'identityProviders',
    (honest, _storage, seen) => ({
      remove: async (id, now) => {
        seen.set(id, true)
        return honest.remove(id, now)
      },
      insert: async (provider) => (seen.has(provider.providerId) ? inserted : honest.insert(provider)),
    }),
  ),
  'identity providers: a disabled one is found and listed, and says so': sabotage('identityProviders', (honest) => ({
    find: async (id) => {
      const provider = await honest.find(id)
      return provider?.disabledAt === undefined ? provider : undefined
    },
  })),
  'identity providers: of writers who read one version one is swapped': sabotage('identityProviders', (honest) => ({
    compareAndSwap: async (provider, version) => {
      const current = await honest.find(provider.providerId)
      return honest.compareAndSwap(provider, current?.version ?? version)
    },
  })),
  'identity providers: the version compared is the one that was read, not the one in the record': sabotage(
    'identityProviders',
    (honest) => ({ compareAndSwap: (provider) => honest.compareAndSwap(provider, provider.version) }),
  ),
  'identity providers: noting the use of a secret changes nothing else': sabotage('identityProviders', (honest) => ({
    touchSecret: async (id, digest, now) => {
      const provider = await honest.find(id)
      if (provider === undefined) return
      const secrets = provider.secrets.map((secret) =>
        secret.digest === digest ? { ...secret, lastUsedAt: now } : secret,
      )
      await honest.compareAndSwap({ ...provider, secrets }, provider.version)
    },
  })),
  'identity providers: a list is in the order of identifiers, and goes on behind one': sabotage(
    'identityProviders',
    (honest) => ({ list: async (page) => (await honest.list(page)).toReversed() }),
  ),

  'round trip: the text of a resource, character by character': sabotage('provisionedUsers', (honest) => ({
    insert: (user) => {
      // As a column of JSON would: what is read and written anew is another text.
      const resource = jsonText(JSON.parse(user.state.resource) as JsonObject)
      return honest.insert({ ...user, state: { ...user.state, resource } })
    },
  })),
  'provisioned accounts: an account begins as its provider says, with generation 0 and version 1': sabotage(
    'provisionedUsers',
    (honest) => ({ insert: (user) => honest.insert({ ...user, state: { ...user.state, active: true } }) }),
  ),
  'provisioned accounts: an identifier is used once, ever, by whomever': sabotage('users', (honest) => ({
    insert: async (user) => (await honest.insert(user), inserted),
  })),
  'provisioned accounts: userName and externalId are each held by one account of a provider': sabotage(
    'provisionedUsers',
    (honest) => ({
      insert: async (user) => {
        const result = await honest.insert(user)
        return result.outcome === 'taken' ? { outcome: 'taken', key: 'userName' } : result
      },
    }),
  ),
  'provisioned accounts: of 8 insertions with one key at once one is inserted': sabotage(
    'provisionedUsers',
    (honest) => ({
      insert: async (user) => {
        await letOthersGoFirst()
        return honest.insert({ ...user, state: withKeysOf(user.state, user.userId) })
      },
    }),
  ),
  'provisioned accounts: an account is found by the externalId that it has now': sabotage(
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
  'provisioned accounts: a key that was given up is free': sabotage('provisionedUsers', (honest, _storage, seen) => ({
    insert: async (user) => {
      if (seen.has(`${user.state.externalId}`)) return { outcome: 'taken', key: 'externalId' }
      seen.set(`${user.state.externalId}`, true)
      return honest.insert(user)
    },
  })),

  'provisioned accounts: clearing active advances the generation once, in the same write': sabotage(
    'provisionedUsers',
    (honest, storage) => ({
      compareAndSwap: async (change) => {
        const result = await honest.compareAndSwap({ ...change, state: { ...change.state, active: true } })
        if (!change.state.active) await storage.users.deactivate(change.userId, change.now)
        return result
      },
    }),
  ),
  'provisioned accounts: setting active revives the account and not its generation': sabotage(
    'provisionedUsers',
    (honest) => ({
      compareAndSwap: async (change) => {
        const result = await honest.compareAndSwap(change)
        if (result.outcome !== 'swapped' || !result.record.active) return result
        return { ...result, record: { ...result.record, generation: 0 } }
      },
    }),
  ),
  'provisioned accounts: a change replaces all that the provider says, and touches nothing else': sabotage(
    'provisionedUsers',
    (honest) => ({
      compareAndSwap: async (change) => {
        const current = await honest.find(change.providerId, change.userId)
        const { resource, resourceForm } = current ?? change.state
        return honest.compareAndSwap({ ...change, state: { ...change.state, resource, resourceForm } })
      },
    }),
  ),
  'provisioned accounts: of writers who read one version one is swapped': sabotage('provisionedUsers', (honest) => ({
    compareAndSwap: async (change) => {
      const current = await honest.find(change.providerId, change.userId)
      return honest.compareAndSwap({ ...change, version: current?.version ?? change.version })
    },
  })),
  'provisioned accounts: a key of another account is taken, and nothing is written': sabotage(
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
  'provisioned accounts: of 8 that take one key at once one has it': sabotage('provisionedUsers', (honest) => ({
    compareAndSwap: async (change) => {
      await letOthersGoFirst()
      return honest.compareAndSwap({ ...change, state: withKeysOf(change.state, change.userId) })
    },
  })),
  'provisioned accounts: a deactivation that races with what the provider says is not lost': sabotage(
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

  'provisioned accounts: an account without provider is adopted, and stays who it is': sabotage(
    'provisionedUsers',
    (honest) => ({
      adopt: async (change) => {
        const result = await honest.adopt(change)
        return result.outcome === 'swapped' ? { ...result, record: { ...result.record, adopted: false } } : result
      },
    }),
  ),
  'provisioned accounts: adopting an active account as inactive ends its use': sabotage(
    'provisionedUsers',
    (honest) => ({
      adopt: (change) => honest.adopt({ ...change, state: { ...change.state, active: true } }),
    }),
  ),
  'provisioned accounts: an account of a provider is never adopted': sabotage('provisionedUsers', (honest) => ({
    adopt: async (change) => {
      await honest.release({ ...change, providerId: aGroup('any').providerId })
      return honest.adopt({ ...change, version: change.version + 1 })
    },
  })),
  'provisioned accounts: adoption is refused as any other change is': sabotage('provisionedUsers', (honest) => ({
    adopt: (change) => honest.adopt({ ...change, version: 1 }),
  })),
  'provisioned accounts: of 8 providers that adopt one account at once one has it': sabotage(
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
  'provisioned accounts: letting go ends the link, the memberships and the use, and keeps the account': sabotage(
    'provisionedUsers',
    (honest) => ({ release: (request) => honest.remove(request) }),
  ),
  'provisioned accounts: letting go of an inactive account advances its generation too': sabotage(
    'users',
    (honest) => ({
      find: async (userId) => {
        const user = await honest.find(userId)
        return user && { ...user, generation: Math.min(user.generation, 1) }
      },
    }),
  ),
  'provisioned accounts: an account that comes back brings no membership and revives nothing': sabotage(
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

  'provisioned accounts: a removed account is gone for every method, and leaves its keys but not its identifier':
    sabotage('provisionedUsers', (honest) => ({ remove: (request) => honest.release(request) })),
  'provisioned accounts: what core removes is removed for the provider': sabotage('users', (honest) => ({
    remove: async (userId, now) =>
      (await honest.deactivate(userId, now)).outcome === 'absent' ? { outcome: 'absent' } : removed,
  })),
  'provisioned accounts: of 8 removals at once one removes the account': sabotage('provisionedUsers', (honest) => ({
    remove: async (request) => (await honest.remove(request), removed),
  })),
  'provisioned accounts: what core does to an account its provider sees': sabotage(
    'provisionedUsers',
    (honest, storage) => ({
      find: async (providerId, userId) => {
        const record = await honest.find(providerId, userId)
        return record && { ...record, active: (await storage.users.find(userId)) !== undefined }
      },
    }),
  ),
  'provisioned accounts: what a provider does to an account everything that was issued sees': sabotage(
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

/** Keys that are nobody else's: as a store without unique indexes has it. */
const withKeysOf = (state: ProvisionedState, userId: string): ProvisionedState => ({
  ...state,
  externalId: userId,
  comparable: { ...state.comparable, userName: userId },
})
