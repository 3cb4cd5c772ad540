import { userId } from '@mintmark/storage-interface'
import { aGroup, aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { expect, test } from 'vitest'
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

/** A database that records how many rows each statement returned. */
function counting(dialect: SqlDialect): { readonly dialect: SqlDialect; readonly read: number[] } {
  const read: number[] = []
  const all: SqlDialect['all'] = async (...call) => {
    const rows = await dialect.all(...call)
    read.push(rows.length)
    return rows
  }
  return { dialect: { ...dialect, all }, read }
}
