import { userId, type ProviderId, type AdminStorage } from '@mintmark/storage-interface'
import { type GroupMember, type GroupStore } from '@mintmark/storage-interface/stores'
import { aGroup } from '@mintmark/storage-interface/fixtures'
import { letOthersGoFirst, sabotage, type Saboteur } from './sabotage.ts'

type GroupChange = Parameters<GroupStore['change']>[0]

/** One broken store for each law of groups, members and what providers may not see. */
export const groupSaboteurs: Readonly<Record<string, Saboteur>> = {
  'groups: a group begins with version 1 and the members that it is given': sabotage('groups', (honest) => ({
    insert: (group) => honest.insert({ ...group, memberIds: group.memberIds.slice(0, 1) }),
  })),
  'groups: an identifier is used once, and externalId is held by one group': sabotage('groups', (honest) => ({
    insert: async (group) => {
      const result = await honest.insert(group)
      return result.outcome === 'taken' ? { outcome: 'taken', key: 'id' } : result
    },
  })),
  'groups: of 8 insertions with one externalId at once one is inserted': sabotage('groups', (honest) => ({
    insert: async (group) => {
      await letOthersGoFirst()
      return honest.insert({ ...group, state: { ...group.state, externalId: group.groupId } })
    },
  })),
  'groups: a group is found by the externalId that it has now': sabotage('groups', (honest, _storage, seen) => ({
    findByExternalId: async (providerId, externalId) => {
      const record = await honest.findByExternalId(providerId, externalId)
      seen.set(externalId, record ?? seen.get(externalId))
      return record ?? (seen.get(externalId) as typeof record)
    },
  })),
  'groups: members are listed for each group that is asked for, in the order of identifiers': sabotage(
    'groups',
    (honest) => ({
      membersOf: async (...call) =>
        new Map([...(await honest.membersOf(...call))].filter(([, members]) => members.length > 0)),
    }),
  ),
  'groups: members are listed for as many whole groups as a limit has room for, in the order asked for, and always for one':
    sabotage('groups', (honest) => ({
      membersOf: (providerId, groupIds) => honest.membersOf(providerId, groupIds),
    })),
  'groups: an account names the groups that it is in, and joining changes nothing of its row': sabotage(
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
  'groups: a removed group is gone for every method, for its members and for the groups that it is in': sabotage(
    'groups',
    (honest) => ({
      remove: async (request) => {
        const members = { kind: 'replace', memberIds: [] } as const
        const result = await honest.change({ ...request, state: undefined, members })
        return result.outcome === 'conflict' ? { outcome: 'conflict' } : { outcome: 'removed' }
      },
    }),
  ),

  'members: a delta adds and removes; who is in both lists is added': changing((change) => {
    if (change.members?.kind !== 'delta') return change
    const { add, remove } = change.members
    return { ...change, members: { kind: 'delta', add: add.filter((id) => !remove.includes(id)), remove } }
  }),
  'members: replacing them leaves exactly those that are named': changing((change) => {
    if (change.members?.kind !== 'replace') return change
    return { ...change, members: { kind: 'delta', add: change.members.memberIds, remove: [] } }
  }),
  'members: a change may name a hundred thousand': changing((change) => {
    if (change.members?.kind !== 'delta') return change
    const { add, remove } = change.members
    return { ...change, members: { kind: 'delta', add, remove: remove.slice(0, 1000) } }
  }),
  'members: a change that finds all as it should be leaves version and time': sabotage('groups', (honest) => ({
    change: async (change) => {
      const result = await honest.change(change)
      return result.outcome === 'unchanged' ? { ...result, outcome: 'swapped' } : result
    },
  })),
  'groups: a new state leaves the members, and both are changed in one step': changing((change) =>
    change.state === undefined ? change : { ...change, members: undefined },
  ),
  'members: somebody who is not there keeps all from being written': sabotage('groups', (honest) => ({
    change: async (change) => {
      const result = await honest.change(change)
      if (result.outcome === 'memberUnknown') await honest.change({ ...change, members: undefined })
      return result
    },
  })),
  'members: groups may be in each other': sabotage('groups', (honest) => ({
    membersOf: async (...call) => {
      const toUser = (member: GroupMember): GroupMember => ({ ...member, type: 'User' })
      return new Map([...(await honest.membersOf(...call))].map(([id, members]) => [id, members.map(toUser)]))
    },
  })),
  'groups: of writers who read one version one is swapped': changing((change) => ({ ...change, version: undefined })),
  'members: of deltas at once none is lost': sabotage('groups', (honest, storage) => ({
    change: async (change) => {
      if (change.members?.kind !== 'delta') return honest.change(change)
      const { add, remove } = change.members
      const before = await membersOf(storage, change)
      await letOthersGoFirst()
      const memberIds = [...before.filter((id) => !remove.includes(id)), ...add]
      return honest.change({ ...change, members: { kind: 'replace', memberIds } })
    },
  })),
  'members: deltas that race with new states are carried out': sabotage('groups', (honest, storage) => ({
    change: async (change) => {
      if (change.state === undefined) return honest.change(change)
      const memberIds = await membersOf(storage, change)
      await letOthersGoFirst()
      return honest.change({ ...change, members: { kind: 'replace', memberIds } })
    },
  })),
  'members: accounts that are removed while they join are in no group afterwards': sabotage(
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
  'members: a group that is removed while people join it is no group of theirs': sabotage(
    'provisionedUsers',
    (honest) => ({
      find: async (...call) => {
        const { groupId, state } = aGroup('staff')
        const record = await honest.find(...call)
        return record && { ...record, groups: [{ groupId, displayName: state.displayName }] }
      },
    }),
  ),

  'providers: accounts and groups are found by their own provider only': sabotage('provisionedUsers', (honest) => ({
    find: (_providerId, id) => honest.find(firstProvider, id),
  })),
  'providers: accounts are changed by their own provider only': sabotage('provisionedUsers', (honest) => ({
    remove: (request) => honest.remove({ ...request, providerId: firstProvider }),
  })),
  'providers: groups are changed by their own provider only': changing((change) => ({
    ...change,
    providerId: firstProvider,
  })),
  'providers: the keys of one are free for another': sabotage('provisionedUsers', (honest, _storage, seen) => ({
    insert: async (user) => {
      if (seen.has(`${user.state.externalId}`)) return { outcome: 'taken', key: 'externalId' }
      seen.set(`${user.state.externalId}`, true)
      return honest.insert(user)
    },
  })),
  'providers: nobody is a member of a group of another': sabotage('groups', (honest) => ({
    insert: async (group) => {
      const result = await honest.insert(group)
      return result.outcome === 'memberUnknown' ? honest.insert({ ...group, memberIds: [] }) : result
    },
  })),
  'providers: lists, filters and totals are of one provider': sabotage('provisionedUsers', (honest) => ({
    list: async (query) => {
      const own = await honest.list(query)
      const all = await honest.list({ ...query, providerId: firstProvider })
      return own.outcome === 'listed' && all.outcome === 'listed' ? { ...own, total: own.total + all.total } : own
    },
  })),
  'providers: a position in the list of one shows nothing of it to another': sabotage('provisionedUsers', (honest) => ({
    list: (query) => {
      const isLater = query.page.kind === 'cursor' && query.page.after !== undefined
      return honest.list(isLater ? { ...query, providerId: firstProvider } : query)
    },
  })),
}

const firstProvider: ProviderId = aGroup('any').providerId

/** Understands a change of a group as another one. */
function changing(misunderstand: (change: GroupChange) => GroupChange): Saboteur {
  return sabotage('groups', (honest) => ({ change: (change) => honest.change(misunderstand(change)) }))
}

async function membersOf(storage: AdminStorage, { providerId, groupId }: GroupChange): Promise<readonly string[]> {
  const members = await storage.groups.membersOf(providerId, [groupId])
  return (members.get(groupId) ?? []).map(({ memberId }) => memberId)
}
