import { type AdminStorage, epochSeconds, groupId, StorageUnavailableError } from '@mintmark/storage-interface'
import { aGroup, aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { describe, expect, test } from 'vitest'
import { membersInSlice } from '../src/stores/group-members.ts'
import { copyRows } from './support/copy-rows.ts'
import { aMigratedPostgres, aMigratedSqlite } from './support/migrated-dialects.ts'

const issuer = 'https://issuer.example'
const { providerId } = aGroup('any')
const now = epochSeconds(1_900_000_000)
const ada = aProvisionedUser('ada', { providerId })
const bea = aProvisionedUser('bea', { providerId })
const labels = Array.from({ length: 2 * membersInSlice + 1 }, (_, index) => `g${String(index).padStart(4, '0')}`)
const groupIds = labels.map((label) => aGroup(label).groupId)
const removal = { providerId, userId: ada.userId, version: undefined, now }

describe.for([
  { name: 'SQLite', open: aMigratedSqlite },
  { name: 'PostgreSQL', open: () => aMigratedPostgres({ max: 10 }) },
])('a member of many groups, on $name', ({ open }) => {
  test('is gone at once when the provider removes them; their memberships are removed in short transactions', async () => {
    const sound = await open()
    const storage = await inManyGroups(sound)
    const slices: number[] = []
    const isGone = async () => expect(await storage.provisionedUsers.find(providerId, ada.userId)).toBeUndefined()
    const watched = await createSqlStorage({ dialect: { ...sound, transact: watch(sound, slices, isGone) }, issuer })

    expect(await watched.provisionedUsers.remove(removal)).toEqual({ outcome: 'removed' })

    expect(slices).toEqual([membersInSlice, membersInSlice, 1])
    await expectNoMembershipOfAda(sound, storage)
  })

  test('has no memberships left after the host has removed them', async () => {
    const sound = await open()
    const storage = await inManyGroups(sound)

    expect(await storage.users.remove(ada.userId, now)).toEqual({ outcome: 'removed' })

    await expectNoMembershipOfAda(sound, storage)
  })

  test('is in no group for the next reader, even if the process was killed before it had removed all memberships', async () => {
    const sound = await open()
    const storage = await inManyGroups(sound)
    const { dialect, failAfter } = failing(sound)
    const killed = await createSqlStorage({ dialect, issuer })
    failAfter(1)
    expect(await killed.provisionedUsers.remove(removal)).toEqual({ outcome: 'removed' })
    expect(await storedMemberships(sound)).toBeGreaterThan(labels.length)
    const last = groupId(groupIds.at(-1) ?? '')

    const found = await storage.groups.find(providerId, last)

    expect(found).toMatchObject({ version: 2, updatedAt: now })
    await expectNoMembershipOfAda(sound, storage)
  })

  test('is gone, and the error is reported, if removing their memberships fails for another reason than an outage', async () => {
    const sound = await open()
    const storage = await inManyGroups(sound)
    const { dialect, failAfter } = failing(sound, new TypeError('A mistake'))
    failAfter(0)

    const removing = (await createSqlStorage({ dialect, issuer })).provisionedUsers.remove(removal)

    await expect(removing).rejects.toThrow('A mistake')
    expect(await storage.provisionedUsers.find(providerId, ada.userId)).toBeUndefined()
  })

  test.for(['a list of members', 'a filter on members', 'a purge'])(
    'is in no group after %s, even if the process was killed before it had removed any membership',
    async (reader) => {
      const sound = await open()
      const storage = await inManyGroups(sound)
      const { dialect, failAfter } = failing(sound)
      failAfter(0)
      await (await createSqlStorage({ dialect, issuer })).provisionedUsers.remove(removal)

      if (reader === 'a list of members') expect(await membersOf(storage)).toEqual(new Set([bea.userId]))
      else if (reader === 'a filter on members')
        expect(await storage.groups.list(groupsOf(ada.userId))).toMatchObject({ outcome: 'listed', total: 0 })
      else await storage.purge.purgeExpired({ now, limit: 10 })

      await expectNoMembershipOfAda(sound, storage)
    },
  )

  test('does not set back the time of a group that was changed after the removal', async () => {
    const sound = await open()
    const storage = await inManyGroups(sound)
    const { dialect, failAfter } = failing(sound)
    failAfter(0)
    await (await createSqlStorage({ dialect, issuer })).provisionedUsers.remove(removal)
    const { groupId: changed, state } = aGroup('g0000')
    const later = epochSeconds(now + 10)
    await storage.groups.change({ providerId, groupId: changed, version: 1, state, members: undefined, now: later })

    expect(await storage.groups.find(providerId, changed)).toMatchObject({ version: 3, updatedAt: later })
    expect(await storage.groups.find(providerId, aGroup('g0001').groupId)).toMatchObject({ updatedAt: now })
  })

  test('is in no group when they are linked again after a crash', async () => {
    const sound = await open()
    const storage = await inManyGroups(sound)
    const { dialect, failAfter } = failing(sound)
    failAfter(0)
    await (await createSqlStorage({ dialect, issuer })).provisionedUsers.release(removal)
    const { version } = (await storage.users.find(ada.userId)) ?? { version: 0 }

    const linked = await storage.provisionedUsers.adopt({
      providerId,
      userId: ada.userId,
      version,
      state: ada.state,
      now,
    })

    expect(linked).toMatchObject({ outcome: 'swapped', record: { groups: [] } })
    await expectNoMembershipOfAda(sound, storage)
  })

  test('keeps their memberships if the removal expects another version', async () => {
    const sound = await open()
    const storage = await inManyGroups(sound)

    expect(await storage.provisionedUsers.remove({ ...removal, version: 7 })).toEqual({ outcome: 'conflict' })

    expect(await storedMemberships(sound)).toBe(2 * labels.length)
    expect((await storage.groups.find(providerId, aGroup('g0000').groupId))?.version).toBe(1)
  })

  test('is gone at once if it is a group that is removed; its memberships are removed in short transactions', async () => {
    const sound = await open()
    const inner = aGroup('inner')
    await (await createSqlStorage({ dialect: sound, issuer })).groups.insert(inner)
    const storage = await inManyGroups(sound, [inner.groupId])
    const slices: number[] = []
    const isGone = async () => expect(await storage.groups.find(providerId, inner.groupId)).toBeUndefined()
    const watched = await createSqlStorage({ dialect: { ...sound, transact: watch(sound, slices, isGone) }, issuer })

    const removed = await watched.groups.remove({ providerId, groupId: inner.groupId, version: undefined, now })

    expect(removed).toEqual({ outcome: 'removed' })
    expect(slices).toEqual([membersInSlice, membersInSlice, 1])
    expect(await membersOf(storage)).toEqual(new Set([ada.userId, bea.userId]))
    expect((await storage.groups.find(providerId, aGroup('g0000').groupId))?.version).toBe(2)
    expect(await departures(sound)).toBe(0)
  })
})

async function inManyGroups(dialect: SqlDialect, moreMembers: readonly string[] = []): Promise<AdminStorage> {
  const storage = await createSqlStorage({ dialect, issuer })
  await storage.provisionedUsers.insert(ada)
  await storage.provisionedUsers.insert(bea)
  const [label = '', ...others] = labels
  await storage.groups.insert(aGroup(label, { memberIds: [ada.userId, bea.userId, ...moreMembers] }))
  for (const table of ['mintmark_groups', 'mintmark_group_members'])
    await copyRows(dialect, table, { label, labels: others })
  return storage
}

const groupsOf = (memberId: string) =>
  ({
    providerId,
    filter: {
      kind: 'element',
      attribute: { extension: undefined, name: 'members', subName: undefined, multiValued: true },
      where: {
        kind: 'text',
        attribute: { extension: undefined, name: 'value', subName: undefined, multiValued: false },
        operator: 'eq',
        value: memberId,
      },
    },
    sort: undefined,
    page: { kind: 'index', offset: 0, limit: 1 },
  }) as const

async function membersOf(storage: AdminStorage): Promise<ReadonlySet<string>> {
  const members = await storage.groups.membersOf(providerId, groupIds)
  return new Set([...members.values()].flat().map(({ memberId }) => memberId))
}

async function expectNoMembershipOfAda(dialect: SqlDialect, storage: AdminStorage): Promise<void> {
  expect(await storedMemberships(dialect)).toBe(labels.length)
  expect(await membersOf(storage)).toEqual(new Set([bea.userId]))
  const versions = await Promise.all(groupIds.map((id) => storage.groups.find(providerId, id)))
  expect(new Set(versions.map((group) => group?.version))).toEqual(new Set([2]))
  expect(await departures(dialect)).toBe(0)
}

async function storedMemberships(dialect: SqlDialect): Promise<number> {
  return (await dialect.all('SELECT group_id FROM mintmark_group_members', [])).length
}

async function departures(dialect: SqlDialect): Promise<number> {
  return (await dialect.all('SELECT member_id FROM mintmark_departures', [])).length
}

/** Runs transactions, and notes how many groups each transaction of a departure changes. The member is gone before each. */
const watch =
  (sound: SqlDialect, slices: number[], isGone: () => Promise<void>): SqlDialect['transact'] =>
  async (steps) => {
    const lists = steps.flatMap(({ statement, parameters }) =>
      statement.startsWith('update "mintmark_groups" set version')
        ? parameters.filter((value) => typeof value === 'string' && value.startsWith('['))
        : [],
    )
    slices.push(...lists.map((list) => (JSON.parse(String(list)) as readonly unknown[]).length))
    if (lists.length > 0) await isGone()
    return sound.transact(steps)
  }

/** A database that fails after a number of transactions. */
function failing(
  dialect: SqlDialect,
  error: Error = new StorageUnavailableError('The process is gone'),
): {
  readonly dialect: SqlDialect
  readonly failAfter: (transactions: number) => void
} {
  let remaining = Number.POSITIVE_INFINITY
  return {
    failAfter: (transactions) => {
      remaining = transactions
    },
    dialect: {
      ...dialect,
      transact: async (steps) => {
        if (remaining === 0) throw error
        remaining -= 1
        return dialect.transact(steps)
      },
    },
  }
}
