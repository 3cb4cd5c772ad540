import { type AdminStorage, groupId, userId } from '@mintmark/storage-interface'
import type { GroupMember, GroupStore, ProviderId } from '@mintmark/storage-interface/stores'
import { aGroup } from '@mintmark/storage-interface/fixtures'
import { letOthersGoFirst, breakStore, type BrokenStore } from './break-store.ts'

type GroupChange = Parameters<GroupStore['change']>[0]

/** One broken store for each law about groups, their members and the isolation of providers. */
export const brokenGroupStores: Readonly<Record<string, BrokenStore>> = {
  'groups: a new group has version 1 and the given members': breakStore('groups', (honest) => ({
    insert: (group) => honest.insert({ ...group, memberIds: group.memberIds.slice(0, 1) }),
  })),
  'groups: identifiers and externalIds are unique': breakStore('groups', (honest) => ({
    insert: async (group) => {
      const result = await honest.insert(group)
      return result.outcome === 'taken' ? { outcome: 'taken', key: 'id' } : result
    },
  })),
  'groups: of 8 concurrent insertions with the same externalId, one succeeds': breakStore('groups', (honest) => ({
    insert: async (group) => {
      await letOthersGoFirst()
      return honest.insert({ ...group, state: { ...group.state, externalId: group.groupId } })
    },
  })),
  'groups: a user is read and changed without groups when the caller leaves them out': breakStore(
    'provisionedUsers',
    (honest) => ({ find: (providerId, userId) => honest.find(providerId, userId) }),
  ),
  'groups: a group is found by its current externalId': breakStore('groups', (honest, _storage, seen) => ({
    findByExternalId: async (providerId, externalId) => {
      const record = await honest.findByExternalId(providerId, externalId)
      seen.set(externalId, record ?? seen.get(externalId))
      return record ?? (seen.get(externalId) as typeof record)
    },
  })),
  'groups: members are listed for each requested group, in the order of identifiers': breakStore(
    'groups',
    (honest) => ({
      membersOf: async (...call) =>
        new Map([...(await honest.membersOf(...call))].filter(([, members]) => members.length > 0)),
    }),
  ),
  'groups: members are listed for as many whole groups as the limit allows, in the requested order, and for at least one':
    breakStore('groups', (honest) => ({
      membersOf: (providerId, groupIds) => honest.membersOf(providerId, groupIds),
    })),
  'groups: counting members or memberships stops at a limit': breakStore('groups', (honest) => ({
    countMemberships: (query) => honest.countMemberships({ ...query, excludedGroup: groupId('none') }),
  })),
  "groups: a user's record lists the groups, and joining a group does not change the version of the user": breakStore(
    'groups',
    (honest, storage) => ({
      change: async (change) => {
        const added = change.members?.kind === 'delta' ? change.members.add : []
        for (const id of added)
          await storage.users.replaceClaims({ userId: userId(id), claims: {}, version: 1, now: change.now })
        return honest.change(change)
      },
    }),
  ),
  'groups: no method finds a removed group, and its members and the groups that contained it no longer refer to it':
    breakStore('groups', (honest) => ({
      remove: async (request) => {
        const members = { kind: 'replace', memberIds: [] } as const
        const result = await honest.change({ ...request, state: undefined, members })
        return result.outcome === 'conflict' ? { outcome: 'conflict' } : { outcome: 'removed' }
      },
    })),

  'members: a change adds and removes users, and adds a user in both lists': alterGroupChange((change) => {
    if (change.members?.kind !== 'delta') return change
    const { add, remove } = change.members
    return { ...change, members: { kind: 'delta', add: add.filter((id) => !remove.includes(id)), remove } }
  }),
  'members: a replacement leaves exactly the named members': alterGroupChange((change) => {
    if (change.members?.kind !== 'replace') return change
    return { ...change, members: { kind: 'delta', add: change.members.memberIds, remove: [] } }
  }),
  'members: a change may name 100,000 members': alterGroupChange((change) => {
    if (change.members?.kind !== 'delta') return change
    const { add, remove } = change.members
    return { ...change, members: { kind: 'delta', add, remove: remove.slice(0, 1000) } }
  }),
  'members: a change without effect keeps version and time': breakStore('groups', (honest) => ({
    change: async (change) => {
      const result = await honest.change(change)
      return result.outcome === 'unchanged' ? { ...result, outcome: 'swapped' } : result
    },
  })),
  'groups: a new state keeps the members, and state and members can change in one step': alterGroupChange((change) =>
    change.state === undefined ? change : { ...change, members: undefined },
  ),
  'members: an unknown member prevents the whole change': breakStore('groups', (honest) => ({
    change: async (change) => {
      const result = await honest.change(change)
      if (result.outcome === 'memberUnknown') await honest.change({ ...change, members: undefined })
      return result
    },
  })),
  'members: groups may contain each other': breakStore('groups', (honest) => ({
    membersOf: async (...call) => {
      const toUser = (member: GroupMember): GroupMember => ({ ...member, type: 'User' })
      return new Map([...(await honest.membersOf(...call))].map(([id, members]) => [id, members.map(toUser)]))
    },
  })),
  'groups: of concurrent writers that read the same version, one succeeds': alterGroupChange((change) => ({
    ...change,
    version: undefined,
  })),
  'members: no concurrent delta is lost': breakStore('groups', (honest, storage) => ({
    change: async (change) => {
      if (change.members?.kind !== 'delta') return honest.change(change)
      const { add, remove } = change.members
      const before = await membersOf(storage, change)
      await letOthersGoFirst()
      const memberIds = [...before.filter((id) => !remove.includes(id)), ...add]
      return honest.change({ ...change, members: { kind: 'replace', memberIds } })
    },
  })),
  'members: no delta is lost when the state changes concurrently': breakStore('groups', (honest, storage) => ({
    change: async (change) => {
      if (change.state === undefined) return honest.change(change)
      const memberIds = await membersOf(storage, change)
      await letOthersGoFirst()
      return honest.change({ ...change, members: { kind: 'replace', memberIds } })
    },
  })),
  'members: users who are removed while they join are in no group afterwards': breakStore(
    'groups',
    (honest, _storage, seen) => ({
      change: async (change) => {
        if (change.members?.kind === 'delta') for (const id of change.members.add) seen.set(id, true)
        return honest.change(change)
      },
      membersOf: async (_providerId, groupIds) => {
        const members = [...seen.keys()].map((memberId): GroupMember => ({ memberId, type: 'User' }))
        return new Map(groupIds.map((id) => [id, members]))
      },
    }),
  ),
  'members: a group that is removed while users join is not among their groups': breakStore(
    'provisionedUsers',
    (honest) => ({
      find: async (...call) => {
        const { groupId, state } = aGroup('staff')
        const record = await honest.find(...call)
        return record && { ...record, groups: [{ groupId, displayName: state.displayName }] }
      },
    }),
  ),

  'providers: users and groups are found only by their own provider': breakStore('provisionedUsers', (honest) => ({
    find: (_providerId, id) => honest.find(firstProvider, id),
  })),
  'providers: users are changed only by their own provider': breakStore('provisionedUsers', (honest) => ({
    remove: (request) => honest.remove({ ...request, providerId: firstProvider }),
  })),
  'providers: groups are changed only by their own provider': alterGroupChange((change) => ({
    ...change,
    providerId: firstProvider,
  })),
  'providers: keys of one provider are free for another': breakStore('provisionedUsers', (honest, _storage, seen) => ({
    insert: async (user) => {
      if (seen.has(`${user.state.externalId}`)) return { outcome: 'taken', key: 'externalId' }
      seen.set(`${user.state.externalId}`, true)
      return honest.insert(user)
    },
  })),
  'providers: a group has no members of another provider': breakStore('groups', (honest) => ({
    insert: async (group) => {
      const result = await honest.insert(group)
      return result.outcome === 'memberUnknown' ? honest.insert({ ...group, memberIds: [] }) : result
    },
  })),
  'providers: lists, filters and totals cover one provider': breakStore('provisionedUsers', (honest) => ({
    list: async (query) => {
      const own = await honest.list(query)
      const all = await honest.list({ ...query, providerId: firstProvider })
      return own.outcome === 'listed' && all.outcome === 'listed' ? { ...own, total: own.total + all.total } : own
    },
  })),
  'providers: a list position of one provider reveals nothing to another': breakStore('provisionedUsers', (honest) => ({
    list: (query) => {
      const isLater = query.page.kind === 'cursor' && query.page.after !== undefined
      return honest.list(isLater ? { ...query, providerId: firstProvider } : query)
    },
  })),
}

const firstProvider: ProviderId = aGroup('any').providerId

/** Replaces each change of a group with a different one. */
function alterGroupChange(misunderstand: (change: GroupChange) => GroupChange): BrokenStore {
  return breakStore('groups', (honest) => ({ change: (change) => honest.change(misunderstand(change)) }))
}

async function membersOf(storage: AdminStorage, { providerId, groupId }: GroupChange): Promise<readonly string[]> {
  const members = await storage.groups.membersOf(providerId, [groupId])
  return (members.get(groupId) ?? []).map(({ memberId }) => memberId)
}
