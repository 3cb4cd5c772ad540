import { userId } from '@mintmark/storage-interface'
import { aGroup, aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { describe, expect, test } from 'vitest'
import { groupsInLookup, groupsInRead } from '../src/groups-of-a-user.ts'
import { copyRows } from './support/copy-rows.ts'
import { aMigratedSqlite, aMigratedPostgres } from './support/migrated-dialects.ts'

const issuer = 'https://issuer.example'
const ada = aProvisionedUser('ada', { providerId: aGroup('staff').providerId })
const { providerId } = ada

describe.for([
  { name: 'SQLite', open: aMigratedSqlite },
  { name: 'PostgreSQL', open: () => aMigratedPostgres({ max: 10 }) },
])('the groups of a user, on $name', ({ open }) => {
  test.for([groupsInRead - 1, groupsInRead, groupsInRead + 1, 3 * groupsInRead])(
    'are complete and in order if there are %s, and no statement reads more than a slice of them',
    async (count) => {
      const { dialect, read } = recording(await open())
      const storage = await createSqlStorage({ dialect, issuer })
      await storage.provisionedUsers.insert(ada)
      const names = Array.from({ length: count }, (_, index) => `g${String(index).padStart(5, '0')}`)
      const [label = '', ...others] = names.toReversed()
      await storage.groups.insert(aGroup(label, { memberIds: [ada.userId] }))
      for (const table of ['mintmark_groups', 'mintmark_group_members'])
        await copyRows(dialect, table, { label, labels: others })
      const groups = names.map((name) => ({
        groupId: aGroup(name).groupId,
        displayName: aGroup(name).state.displayName,
      }))
      read.length = 0

      const found = await storage.provisionedUsers.find(providerId, ada.userId)
      const byKey = await storage.provisionedUsers.findByExternalId(providerId, ada.state.externalId ?? '')
      const change = { providerId, userId: userId(ada.userId), version: 1, state: ada.state, now: ada.createdAt }
      const swapped = await storage.provisionedUsers.compareAndSwap(change)

      expect(found?.groups).toEqual(groups)
      expect(byKey?.groups).toEqual(groups)
      expect(swapped).toMatchObject({ outcome: 'swapped', record: { version: 2, groups } })
      expect(Math.max(...read)).toBe(Math.min(count, groupsInRead))
    },
  )

  test.for([0, 1, groupsInLookup - 1, groupsInLookup, groupsInLookup + 1])(
    'are complete in the result of a filter if there are %s, and a lookup reads only some',
    async (count) => {
      const { dialect, lookedUp } = recording(await open())
      const storage = await createSqlStorage({ dialect, issuer })
      await storage.provisionedUsers.insert(ada)
      const names = Array.from({ length: count }, (_, index) => `g${index}`)
      for (const name of names) await storage.groups.insert(aGroup(name, { memberIds: [ada.userId] }))
      const attribute = { extension: undefined, name: 'externalId', subName: undefined, multiValued: false } as const
      const filter = { kind: 'text', attribute, operator: 'eq', value: ada.state.externalId ?? '' } as const
      const page = { kind: 'index', offset: 0, limit: 10 } as const
      lookedUp.length = 0

      const outcome = await storage.provisionedUsers.list({ providerId, filter, sort: undefined, page })

      expect(outcome).toMatchObject({ total: 1, records: [{ groups: { length: count } }] })
      expect(lookedUp).toEqual([Math.min(count, groupsInLookup)])
    },
  )
})

/** A dialect that records how many groups each statement returns, and each lookup of a user. */
function recording(dialect: SqlDialect) {
  const read: number[] = []
  const lookedUp: number[] = []
  const all: SqlDialect['all'] = async (statement, parameters, options) => {
    const rows = await dialect.all(statement, parameters, options)
    const before = read.length
    for (const row of rows) {
      const index = row.indexByColumn.get('groups')
      const groups = index === undefined ? undefined : row.values[index]
      read.push(typeof groups === 'string' ? (JSON.parse(groups) as readonly unknown[]).length : 0)
    }
    if (options?.isLookup === true) lookedUp.push(...read.slice(before))
    if (/membership\.group_id >/.test(statement)) read.push(rows.length)
    return rows
  }
  return { dialect: { ...dialect, all }, read, lookedUp }
}
