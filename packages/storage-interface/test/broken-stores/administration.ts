import { epochSeconds, organizationId, userId } from '@mintmark/storage-interface'
import { anInitialAccessToken } from '@mintmark/storage-interface/fixtures'
import { letOthersGoFirst, breakStore, type BrokenStore } from './break-store.ts'

const inserted = { outcome: 'inserted' } as const
const removed = { outcome: 'removed' } as const

/** One broken store for each law about clients, users, organizations, initial access tokens, subjects and logs. */
export const brokenAdministrationStores: Readonly<Record<string, BrokenStore>> = {
  'clients: a list is in the order of identifiers, and can start after a given identifier': breakStore(
    'clients',
    (honest) => ({
      list: (page) => honest.list({ ...page, after: undefined }),
    }),
  ),
  'clients: a removed client is absent for every method, and its identifier stays taken': breakStore(
    'clients',
    (honest, _storage, seen) => ({
      remove: async (id, now) => {
        seen.set(id, true)
        return honest.remove(id, now)
      },
      insert: async (client) => (seen.has(client.clientId) ? inserted : honest.insert(client)),
    }),
  ),
  'clients: the status of a grant or token family omits a client that was removed': breakStore(
    'clients',
    (honest, storage) => ({
      remove: async (id, now) => {
        const client = await storage.clients.find(id)
        if (client !== undefined) await honest.compareAndSwap({ ...client, disabledAt: now }, client.version)
        return removed
      },
    }),
  ),

  'user search: a list has all users of the host and of every provider, oldest first': breakStore(
    'users',
    (honest) => ({
      list: (query) =>
        honest.list({ ...query, filter: { kind: 'boolean', attribute: active, operator: 'eq', value: true } }),
    }),
  ),
  'user search: a list continues after a position and shows each user once': breakStore('users', (honest) => ({
    list: (query) =>
      honest.list(
        query.page.kind === 'cursor'
          ? { ...query, page: { kind: 'index', offset: 0, limit: query.page.limit } }
          : query,
      ),
  })),
  'user search: a filter compares the user and the claims exactly': breakStore('users', (honest) => ({
    list: (query) => honest.list({ ...query, filter: undefined }),
  })),

  'upsert: users are created, updated or left unchanged, and the outcomes say which': breakStore('users', (honest) => ({
    upsert: async ({ users, now }) => {
      const outcomes = await honest.upsert({ users, now })
      for (const { userId } of users) await honest.reactivate(userId, now)
      return outcomes
    },
  })),
  'upsert: users of providers, removed users and identifiers of clients are not written': breakStore(
    'users',
    (honest) => ({
      upsert: async ({ users, now }) => {
        const outcomes = await honest.upsert({ users, now })
        for (const { userId, claims } of users) {
          const user = await honest.find(userId)
          if (user !== undefined) await honest.replaceClaims({ userId, claims, version: user.version, now })
        }
        return outcomes
      },
    }),
  ),
  'upsert: of concurrent batches, one creates each user': breakStore('users', (honest) => ({
    upsert: async ({ users, now }) => {
      const compared = await honest.compare(users)
      await letOthersGoFirst()
      await honest.upsert({ users, now })
      return compared
    },
  })),
  'upsert: compare returns what upsert would return, and writes nothing': breakStore('users', (honest) => ({
    compare: (users) => honest.upsert({ users, now: epochSeconds(0) }),
  })),

  'organizations: an identifier is inserted at most once, and the first record stays': breakStore(
    'organizations',
    (honest) => ({
      insert: async (organization) => (await honest.insert(organization), inserted),
    }),
  ),
  'organizations: a removed organization and its memberships are absent, and its identifier stays taken': breakStore(
    'organizations',
    (honest, _storage, seen) => ({
      remove: async (id, now) => {
        seen.set(id, true)
        return honest.remove(id, now)
      },
      insert: async (organization) => (seen.has(organization.organizationId) ? inserted : honest.insert(organization)),
    }),
  ),
  'organizations: of concurrent writers that read the same version, one succeeds': breakStore(
    'organizations',
    (honest) => ({
      compareAndSwap: async (organization, version) => {
        const current = await honest.find(organization.organizationId)
        return honest.compareAndSwap(organization, current?.version ?? version)
      },
    }),
  ),
  'organizations: a list is in the order of identifiers, and can start after a given identifier': breakStore(
    'organizations',
    (honest) => ({
      list: async (page) => (await honest.list(page)).toReversed(),
    }),
  ),

  "organizations: removing a member revokes the member's families for the organization, and no others": breakStore(
    'organizations',
    (honest) => ({ remove: (organization) => honest.remove(organizationId(`not ${organization}`), epochSeconds(0)) }),
  ),
  'organizations: revoking the tokens of users revokes their families for the organization, and no others': breakStore(
    'organizations',
    (honest) => ({
      revokeTokens: ({ userIds, ...request }) => honest.revokeTokens({ ...request, userIds: userIds.slice(0, 1) }),
    }),
  ),
  'initial access tokens: an identifier is inserted at most once, and the first record stays': breakStore(
    'initialAccessTokens',
    (honest) => ({
      insert: async (token) => (await honest.insert(token), inserted),
    }),
  ),
  'initial access tokens: of 16 concurrent uses of a token for three clients, three succeed': breakStore(
    'initialAccessTokens',
    (honest) => ({
      spend: async (id, digest, now) => {
        const record = await honest.find(id)
        if (record === undefined) return { outcome: 'absent' }
        if (record.remaining < 1) return { outcome: 'exhausted' }
        await letOthersGoFirst()
        await honest.spend(id, digest, now)
        return { outcome: 'spent', record: { ...record, remaining: record.remaining - 1 } }
      },
    }),
  ),
  'initial access tokens: a token that has expired, was revoked or comes with a wrong secret is absent and not spent':
    breakStore('initialAccessTokens', (honest) => ({
      spend: async (id, digest, now) => honest.spend(id, (await honest.find(id))?.digest ?? digest, now),
    })),
  'initial access tokens: a second revocation does not change the time of the first': breakStore(
    'initialAccessTokens',
    (honest) => ({
      revoke: async (id, now) => {
        const { outcome } = await honest.revoke(id, now)
        return { outcome: outcome === 'unchanged' ? 'revoked' : outcome }
      },
    }),
  ),
  'initial access tokens: a list is in the order of identifiers, and can start after a given identifier': breakStore(
    'initialAccessTokens',
    (honest) => ({
      list: async (page) => (await honest.list(page)).toReversed(),
    }),
  ),
  'initial access tokens: an expired token is purged': breakStore('initialAccessTokens', (honest) => ({
    find: async (id) => (await honest.find(id)) ?? anInitialAccessToken({ tokenId: id }),
  })),

  'subjects: of 8 concurrent assignments one succeeds, and all callers get its identifier': breakStore(
    'subjects',
    (honest) => ({
      assign: async (candidate) => {
        await honest.assign(candidate)
        return { outcome: 'assigned', subject: candidate.subject }
      },
    }),
  ),
  'subjects: an identifier belongs to one user, and is taken for every other user': breakStore(
    'subjects',
    (honest) => ({
      assign: async (candidate) => {
        const result = await honest.assign(candidate)
        return result.outcome === 'taken' ? { outcome: 'assigned', subject: candidate.subject } : result
      },
    }),
  ),
  'subjects: an identifier is unknown in other sectors and at other issuers': breakStore('subjects', (honest) => ({
    find: async (sector, subject) => (await honest.find('app.example', subject)) ?? honest.find(sector, subject),
  })),
  'subjects: the identifiers of a removed user are kept for revocationRetention, and then purged': breakStore(
    'subjects',
    (honest, _storage, seen) => ({
      assign: async (candidate) => {
        seen.set(candidate.subject, true)
        return honest.assign(candidate)
      },
      find: async (sector, subject) =>
        (await honest.find(sector, subject)) ?? (seen.has(subject) ? userId('ada') : undefined),
    }),
  ),

  'memberships: a user is a member of an organization at most once': breakStore('organizations', (honest) => ({
    insertMember: async (membership) => (await honest.insertMember(membership), inserted),
  })),
  'memberships: a membership needs an organization and a user': breakStore('organizations', (honest) => ({
    insertMember: async (membership) =>
      honest.insertMember({ ...membership, organizationId: organizationId('organization-1') }),
  })),
  'memberships: a removed user has no memberships, and a deactivated user keeps them': breakStore(
    'organizations',
    (honest, storage) => ({
      findMember: async (organization, user) =>
        (await storage.users.find(user))?.active === true ? honest.findMember(organization, user) : undefined,
    }),
  ),
  'memberships: users of a provider are members of its organization until they are released': breakStore(
    'provisionedUsers',
    (honest, storage) => ({
      release: async (request) => {
        const before = await storage.organizations.listByUser(request.userId)
        const released = await honest.release(request)
        for (const membership of before) await storage.organizations.insertMember(membership)
        return released
      },
    }),
  ),
  'memberships: of concurrent writers that read the same version, one succeeds': breakStore(
    'organizations',
    (honest) => ({
      compareAndSwapMember: async (membership, version) => {
        const current = await honest.findMember(membership.organizationId, membership.userId)
        return honest.compareAndSwapMember(membership, current?.version ?? version)
      },
    }),
  ),
  'memberships: of 8 concurrent removals, one succeeds': breakStore('organizations', (honest) => ({
    removeMember: async (organization, user, at) => {
      const found = await honest.findMember(organization, user)
      await letOthersGoFirst()
      await honest.removeMember(organization, user, at)
      return found === undefined ? { outcome: 'absent' } : removed
    },
  })),
  'memberships: the members of an organization, and the memberships of a user, are listed in order': breakStore(
    'organizations',
    (honest) => ({
      listMembers: async (page) => (await honest.listMembers(page)).toReversed(),
    }),
  ),

  'logs: an entry is written once, and never changes': breakStore('logs', (honest) => ({
    append: async (entry) => (await honest.append(entry), inserted),
  })),
  'logs: a page has the newest entries of one log, or the newest that are older than a given entry': breakStore(
    'logs',
    (honest) => ({
      list: async (page) => (await honest.list(page)).toReversed(),
    }),
  ),
  'purge: log entries are removed when they expire, and not before': breakStore('purge', () => ({
    purgeExpired: () => Promise.resolve({ removed: 0, done: true }),
  })),
}

const active = { extension: undefined, name: 'active', subName: undefined, multiValued: false }
