import { userId } from '@mintmark/storage-interface'
import { aGroup, aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { expect, test } from 'vitest'
import type { SqlQueryOptions } from '../src/dialect.ts'
import { membersInCount } from '../src/stores/group-members.ts'
import { engines } from './support/migrated-dialects.ts'

test.for(engines)(
  'on $name reads the members of a page of groups with one statement, and no more rows than it returns',
  async ({ open }) => {
    const { dialect, read } = counting(await open())
    const storage = await createSqlStorage({ dialect, issuer: 'https://issuer.example' })
    const memberIds = Array.from({ length: 50 }, (_, index) => `user-${index}`)
    for (const id of memberIds) await storage.provisionedUsers.insert(aProvisionedUser(id, { userId: userId(id) }))
    const groups = Array.from({ length: 20 }, (_, index) => aGroup(`${index}`, { memberIds }))
    for (const group of groups) await storage.groups.insert(group)
    const { providerId } = aGroup('any')
    const groupIds = groups.map(({ groupId }) => groupId)
    read.length = 0

    const members = await storage.groups.membersOf(providerId, groupIds, { limit: 160 })

    expect([...members.keys()].toSorted()).toEqual(groupIds.slice(0, 3).toSorted())
    // The first statement finds no recorded change of the groups. The second returns a row per group and its members.
    expect(read).toEqual([0, 3 + 150])
  },
)

test.for(engines)('on $name counts the members of small groups in a short query', async ({ open }) => {
  const { dialect, lifetimes } = counting(await open())
  const storage = await createSqlStorage({ dialect, issuer: 'https://issuer.example' })
  const memberIds = Array.from({ length: membersInCount + 10 }, (_, index) => `user-${index}`)
  for (const id of memberIds) await storage.provisionedUsers.insert(aProvisionedUser(id, { userId: userId(id) }))
  const count = async (size: number, atMost: number) => {
    const group = aGroup(`${size}`)
    lifetimes.length = 0
    const members = await storage.groups.countMembers(group.providerId, [group.groupId], atMost)
    return { members, inLongQuery: lifetimes.includes('long') }
  }
  for (const size of [3, memberIds.length])
    await storage.groups.insert(aGroup(`${size}`, { memberIds: memberIds.slice(0, size) }))

  expect(await count(3, 1000)).toEqual({ members: 3, inLongQuery: false })
  expect(await count(memberIds.length, membersInCount)).toEqual({ members: membersInCount, inLongQuery: false })
  expect(await count(memberIds.length, membersInCount + 1)).toEqual({ members: membersInCount + 1, inLongQuery: true })
  expect(await count(memberIds.length, 1000)).toEqual({ members: memberIds.length, inLongQuery: true })
})

/** A database that records how many rows each statement returned, and its lifetime. */
function counting(dialect: SqlDialect) {
  const read: number[] = []
  const lifetimes: SqlQueryOptions['lifetime'][] = []
  const all: SqlDialect['all'] = async (...call) => {
    const rows = await dialect.all(...call)
    read.push(rows.length)
    lifetimes.push(call[2]?.lifetime)
    return rows
  }
  return { dialect: { ...dialect, all }, read, lifetimes }
}
