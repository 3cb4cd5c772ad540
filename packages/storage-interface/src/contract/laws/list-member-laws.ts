import { matchesFilter } from '../../filter/matches-filter.ts'
import type { ResolvedFilter } from '../../filter/resolved-filter.ts'
import type { GroupRecord } from '../../group.ts'
import { groupId } from '../../values.ts'
import type { ListOutcome } from '../../resource-list.ts'
import type { ScimStorage } from '../../storage.ts'
import { now, nowPlus } from '../fixtures.ts'
import { type StorageLaw, law } from '../law.ts'
import {
  aGroup,
  aGroupState,
  aProvisionedState,
  aProvisionedUser,
  usersWith,
  everything,
  filteredForm,
  insertUsers,
  listedIds,
} from '../provisioning-fixtures.ts'
import { and, attribute, boolean, element, not, number, or, present, multiValued, text } from '../filters.ts'

/** Filters on the attributes that the store adds work as if the comparable form contained them. */
export const listAttributeLaws: readonly StorageLaw<ScimStorage>[] = [
  law('filters: users are found by id, externalId, userName and creation time', async ({ storage, same }) => {
    const nameless = aProvisionedUser('nameless', {
      state: aProvisionedState('nameless', { externalId: undefined }),
      createdAt: nowPlus(99),
    })
    const extended = { [extension]: { id: 'user-00', externalId: 'external-00', userName: 'name-00' } }
    const users = [...usersWith([{}, {}, { userName: 'External-00' }, extended]), nameless]
    await insertUsers(storage, users)

    const texts = (['id', 'externalId', 'userName'] as const).flatMap((name) => [
      ...(['eq', 'ne', 'gt', 'le'] as const).map((operator) =>
        text(name, operator, name === 'id' ? 'user-01' : 'external-01'),
      ),
      text(name, 'co', '0'),
      text(name, 'eq', 'External-00'),
      text(name, 'eq', 'unknown'),
      present(name),
    ])
    const created = (['eq', 'gt', 'le'] as const).map((operator) => number('meta.created', operator, nowPlus(1) * 1000))
    const namesakes = [
      text(attribute('id', extension), 'eq', 'user-00'),
      text(attribute('externalId', extension), 'eq', 'external-00'),
      text(attribute('userName', extension), 'eq', 'name-00'),
      text('userName.value', 'eq', 'name-00'),
    ]
    const joined = [
      and(text('id', 'eq', 'user-01'), text('userName', 'eq', 'name-01')),
      and(text('id', 'eq', 'user-01'), text('userName', 'eq', 'name-00')),
      or(text('id', 'eq', 'user-01'), text('externalId', 'eq', 'external-00')),
      not(text('id', 'eq', 'user-01')),
    ]
    for (const filter of [
      ...texts,
      ...created,
      ...namesakes,
      ...joined,
      number('meta.created', 'gt', now * 1000 + 1),
    ]) {
      const expected = users.filter((user) => matchesFilter(filter)(filteredForm(user))).map(({ userId }) => userId)
      const outcome = await storage.provisionedUsers.list({ ...everything, filter })
      same(listedIds(outcome), [expected.length, ...expected], JSON.stringify(filter))
    }
  }),

  law('filters: active and meta.lastModified have their current values', async ({ storage, same }) => {
    const [one, two] = [aProvisionedUser('one'), aProvisionedUser('two')]
    await insertUsers(storage, [one, two])
    await storage.users.deactivate(one.userId, nowPlus(50))
    await storage.provisionedUsers.compareAndSwap({ ...two, version: 1, now: nowPlus(60) })
    const found = async (filter: ResolvedFilter) =>
      listedIds(await storage.provisionedUsers.list({ ...everything, filter }))

    same(await found(boolean('active', 'eq', true)), [1, two.userId], 'active')
    same(await found(boolean('active', 'ne', true)), [1, one.userId], 'not active')
    same(await found(number('meta.lastModified', 'gt', nowPlus(50) * 1000)), [1, two.userId], 'changed later')
    same(await found(number('meta.lastModified', 'eq', nowPlus(50) * 1000)), [1, one.userId], 'changed then')
    same(
      await found(number('meta.created', 'le', now * 1000)),
      [2, one.userId, two.userId],
      'created before the changes',
    )
    await storage.users.reactivate(one.userId, nowPlus(70))
    same(await found(boolean('active', 'eq', false)), [0], 'not active, after a reactivation')
  }),

  law('filters: users are found by their groups', async ({ storage, same }) => {
    await insertUsers(storage, usersWith([{}, {}, {}, {}]))
    await storage.groups.insert(aGroup('a', { memberIds: ['user-00', 'user-01'] }))
    await storage.groups.insert(aGroup('b', { memberIds: ['user-01', 'user-02'] }))
    const inA = element('groups', text('value', 'eq', 'group-a'))
    const inB = element('groups', text('value', 'eq', 'group-b'))
    const found = async (filter: ResolvedFilter) =>
      listedIds(await storage.provisionedUsers.list({ ...everything, filter }))

    same(await found(inA), [2, 'user-00', 'user-01'], 'in one')
    same(await found(and(inA, inB)), [1, 'user-01'], 'in both')
    same(await found(or(inA, inB)), [3, 'user-00', 'user-01', 'user-02'], 'in either')
    same(await found(not(inA)), [2, 'user-02', 'user-03'], 'not in one')
    same(await found(element('groups', text('value', 'ne', 'group-a'))), [2, 'user-01', 'user-02'], 'in another')
    same(await found(present(multiValued('groups'))), [3, 'user-00', 'user-01', 'user-02'], 'in any')
    same(await found(and(inA, text('userName', 'eq', 'name-00'))), [1, 'user-00'], 'in one, by name')
    const { providerId } = everything
    await storage.groups.remove({ providerId, groupId: groupId('group-a'), version: undefined, now })
    same(await found(inA), [0], 'in a removed one')
  }),

  law('filters: groups are found by their members and their own attributes', async ({ storage, same }) => {
    await insertUsers(storage, usersWith([{}, {}]))
    const [a, b, c] = [
      aGroup('a', { memberIds: ['user-00', 'user-01'] }),
      aGroup('b', { memberIds: ['group-a', 'user-01'], createdAt: nowPlus(1) }),
      aGroup('c', {
        createdAt: nowPlus(2),
        state: aGroupState('c', { externalId: undefined, comparable: { displayName: 'a_%' } }),
      }),
    ]
    for (const group of [a, b, c]) await storage.groups.insert(group)
    const found = async (filter: ResolvedFilter) => groupIds(await storage.groups.list({ ...everything, filter }))

    same(await found(text('displayName', 'eq', 'group a')), [1, 'group-a'], 'by name')
    same(await found(text('displayName', 'sw', 'a_')), [1, 'group-c'], 'by a part of the name')
    same(await found(text('externalId', 'eq', 'external-b')), [1, 'group-b'], 'by externalId')
    same(await found(not(present('externalId'))), [1, 'group-c'], 'without externalId')
    same(await found(text('id', 'gt', 'group-a')), [2, 'group-b', 'group-c'], 'by identifier')
    same(await found(number('meta.created', 'ge', nowPlus(1) * 1000)), [2, 'group-b', 'group-c'], 'by age')
    same(await found(has(text('value', 'eq', 'user-01'))), [2, 'group-a', 'group-b'], 'by a member')
    same(await found(has(text('value', 'eq', 'group-a'))), [1, 'group-b'], 'by a group in it')
    same(await found(has(text('type', 'eq', 'group'))), [1, 'group-b'], 'by the type of a member')
    const wrong = has(text('value', 'eq', 'user-01'), text('type', 'eq', 'group'))
    same(await found(wrong), [0], 'by parts of different members')
    same(await found(not(present(multiValued('members')))), [1, 'group-c'], 'without members')
    const { providerId } = everything
    await storage.users.remove(aProvisionedUser('01').userId, nowPlus(5))
    same(await found(has(text('value', 'eq', 'user-01'))), [0], 'by a removed member')
    same(
      await found(number('meta.lastModified', 'eq', nowPlus(5) * 1000)),
      [2, 'group-a', 'group-b'],
      'by the last change',
    )
    await storage.groups.remove({ providerId, groupId: b.groupId, version: undefined, now })
    same(await found(present('id')), [2, 'group-a', 'group-c'], 'after a removal')
  }),
]

const extension = 'urn:example:extension'

const has = (...parts: readonly ResolvedFilter[]): ResolvedFilter => element('members', and(...parts))

const groupIds = (outcome: ListOutcome<GroupRecord>): readonly (number | string)[] =>
  outcome.outcome === 'listed' ? [outcome.total, ...outcome.records.map((group) => group.groupId)] : [outcome.outcome]
