import { organizationId } from '@mintmark/storage-interface'
import { letOthersGoFirst, sabotage, type Saboteur } from './sabotage.ts'

const inserted = { outcome: 'inserted' } as const
const removed = { outcome: 'removed' } as const

/** One broken store for each law of what the core API keeps. */
export const administrationSaboteurs: Readonly<Record<string, Saboteur>> = {
  'clients: a list is in the order of identifiers, and goes on behind one': sabotage('clients', (honest) => ({
    list: (page) => honest.list({ ...page, after: undefined }),
  })),
  'clients: a removed one is gone for every method, and its identifier stays taken': sabotage(
    'clients',
    (honest, _storage, seen) => ({
      remove: async (id, now) => {
        seen.set(id, true)
        return honest.remove(id, now)
      },
      insert: async (client) => (seen.has(client.clientId) ? inserted : honest.insert(client)),
    }),
  ),
  'clients: what was issued to a removed one stands on no client': sabotage('clients', (honest, storage) => ({
    remove: async (id, now) => {
      const client = await storage.clients.find(id)
      if (client !== undefined) await honest.compareAndSwap({ ...client, disabledAt: now }, client.version)
      return removed
    },
  })),

  'accounts: a list holds all that are there, oldest first, whoever provisioned them': sabotage('users', (honest) => ({
    list: (query) =>
      honest.list({ ...query, filter: { kind: 'boolean', attribute: active, operator: 'eq', value: true } }),
  })),
  'accounts: a list goes on behind a position, and meets everybody once': sabotage('users', (honest) => ({
    list: (query) =>
      honest.list(
        query.page.kind === 'cursor'
          ? { ...query, page: { kind: 'index', offset: 0, limit: query.page.limit } }
          : query,
      ),
  })),
  'accounts: a filter is about the account and its claims, as they stand': sabotage('users', (honest) => ({
    list: (query) => honest.list({ ...query, filter: undefined }),
  })),

  'organizations: an identifier is inserted at most once, and the first record stays': sabotage(
    'organizations',
    (honest) => ({
      insert: async (organization) => (await honest.insert(organization), inserted),
    }),
  ),
  'organizations: a removed one is gone with its memberships, and its identifier stays taken': sabotage(
    'organizations',
    (honest, _storage, seen) => ({
      remove: async (id, now) => {
        seen.set(id, true)
        return honest.remove(id, now)
      },
      insert: async (organization) => (seen.has(organization.organizationId) ? inserted : honest.insert(organization)),
    }),
  ),
  'organizations: of writers who read one version one is swapped': sabotage('organizations', (honest) => ({
    compareAndSwap: async (organization, version) => {
      const current = await honest.find(organization.organizationId)
      return honest.compareAndSwap(organization, current?.version ?? version)
    },
  })),
  'organizations: a list is in the order of identifiers, and goes on behind one': sabotage(
    'organizations',
    (honest) => ({
      list: async (page) => (await honest.list(page)).toReversed(),
    }),
  ),

  'memberships: an account is a member of an organization at most once': sabotage('organizations', (honest) => ({
    insertMember: async (membership) => (await honest.insertMember(membership), inserted),
  })),
  'memberships: nobody joins without an organization and an account': sabotage('organizations', (honest) => ({
    insertMember: async (membership) =>
      honest.insertMember({ ...membership, organizationId: organizationId('organization-1') }),
  })),
  'memberships: a removed account has none, and a deactivated one keeps its own': sabotage(
    'organizations',
    (honest, storage) => ({
      findMember: async (organization, user) =>
        (await storage.users.find(user))?.active === true ? honest.findMember(organization, user) : undefined,
    }),
  ),
  'memberships: of writers who read one version one is swapped': sabotage('organizations', (honest) => ({
    compareAndSwapMember: async (membership, version) => {
      const current = await honest.findMember(membership.organizationId, membership.userId)
      return honest.compareAndSwapMember(membership, current?.version ?? version)
    },
  })),
  'memberships: of several who remove one, one does': sabotage('organizations', (honest) => ({
    removeMember: async (organization, user) => {
      const found = await honest.findMember(organization, user)
      await letOthersGoFirst()
      await honest.removeMember(organization, user)
      return found === undefined ? { outcome: 'absent' } : removed
    },
  })),
  'memberships: lists hold all of an organization, or all of an account, in order': sabotage(
    'organizations',
    (honest) => ({
      listMembers: async (page) => (await honest.listMembers(page)).toReversed(),
    }),
  ),

  'logs: an entry is written once, and never changes': sabotage('logs', (honest) => ({
    append: async (entry) => (await honest.append(entry), inserted),
  })),
  'logs: a page holds the newest of one log, and goes on before an entry': sabotage('logs', (honest) => ({
    list: async (page) => (await honest.list(page)).toReversed(),
  })),
  'purge: log entries go when their time has come, and not before': sabotage('purge', () => ({
    purgeExpired: () => Promise.resolve({ removed: 0, done: true }),
  })),
}

const active = { extension: undefined, name: 'active', subName: undefined, multiValued: false }
