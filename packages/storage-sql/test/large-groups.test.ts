import { StorageUnavailableError, userId, type AdminStorage } from '@mintmark/storage-interface'
import { aGroup, aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { describe, expect, test } from 'vitest'
import { rounds } from '../../../test/support/rounds.ts'
import { membersInSlice } from '../src/stores/group-members.ts'
import { copyRows } from './support/copy-rows.ts'
import { engines } from './support/migrated-dialects.ts'

const issuer = 'https://issuer.example'
const { providerId, groupId, createdAt: now } = aGroup('staff')
const many = 3 * membersInSlice
const ids = Array.from({ length: many }, (_, index) => `user-${index}`)

// MariaDB takes long for them, and its other tests show that it has the same statements.
describe.for(engines.slice(0, rounds({ fast: 2, long: 3 })))('a change of many members, on $name', ({ open }) => {
  test('is carried out in transactions that write no more than a slice', async () => {
    const { dialect, written } = recording(await open())
    const storage = await withUsers(dialect)
    await storage.groups.insert(aGroup('staff'))
    written.length = 0

    const added = await storage.groups.change(changing({ kind: 'delta', add: ids, remove: [] }))
    const removed = await storage.groups.change(changing({ kind: 'replace', memberIds: ['user-1'] }))
    const remaining = await membersOf(storage)
    const replaced = await storage.groups.change(changing({ kind: 'replace', memberIds: ids }))

    expect([added, removed, replaced]).toMatchObject([
      { outcome: 'swapped', record: { version: 2 } },
      { outcome: 'swapped', record: { version: 3 } },
      { outcome: 'swapped', record: { version: 4 } },
    ])
    expect(remaining).toEqual(['user-1'])
    expect(await membersOf(storage)).toEqual(ids.toSorted())
    expect(written.length).toBeGreaterThan(3)
    expect(Math.max(...written)).toBeLessThanOrEqual(membersInSlice)
  })

  test('is completed by the next reader when the process is killed in the middle', async () => {
    const sound = await open()
    const { dialect, failAfter } = failing(sound)
    const storage = await withUsers(dialect)
    await storage.groups.insert(aGroup('staff'))
    // The change is recorded, and one slice is carried out.
    failAfter(2)

    const outcome = await storage.groups.change(changing({ kind: 'delta', add: ids, remove: [] }))

    const other = await createSqlStorage({ dialect: sound, issuer })
    expect(outcome).toMatchObject({ outcome: 'swapped', record: { version: 2 } })
    expect(await membersOf(other)).toEqual(ids.toSorted())
  })

  test('is completed by a purge when nobody reads the group', async () => {
    const sound = await open()
    const { dialect, failAfter } = failing(sound)
    const storage = await withUsers(dialect)
    await storage.groups.insert(aGroup('staff'))
    failAfter(2)
    await storage.groups.change(changing({ kind: 'delta', add: ids, remove: [] }))

    const other = await createSqlStorage({ dialect: sound, issuer })
    await other.purge.purgeExpired({ now, limit: 10 })

    const last = await other.provisionedUsers.find(providerId, userId(`user-${many - 1}`))
    expect(last?.groups).toEqual([{ groupId, displayName: aGroup('staff').state.displayName }])
  })

  test('is seen by a reader completely or not at all, even when it happens between two slices of the read', async () => {
    const sound = await open()
    const storage = await withUsers(sound)
    await storage.groups.insert(aGroup('staff', { memberIds: ids }))
    const [first = '', ...others] = ids.toSorted()
    const remove = [first, others.at(-1) ?? '']
    let parts = 0
    const watched: SqlDialect = {
      ...sound,
      all: async (statement, ...rest) => {
        const rows = await sound.all(statement, ...rest)
        if (/order by member_id limit/.test(statement) && (parts += 1) === 1)
          await storage.groups.change(changing({ kind: 'delta', add: [], remove }))
        return rows
      },
    }

    const read = await membersOf(await createSqlStorage({ dialect: watched, issuer }))

    expect(parts).toBeGreaterThan(2)
    expect(read).toEqual(others.slice(0, -1))
  })

  test('with an unknown member writes nothing', async () => {
    const storage = await withUsers(await open())
    await storage.groups.insert(aGroup('staff', { memberIds: ['user-1'] }))

    const outcome = await storage.groups.change(changing({ kind: 'replace', memberIds: [...ids, 'nobody'] }))

    expect(outcome).toEqual({ outcome: 'memberUnknown', memberId: 'nobody' })
    expect(await membersOf(storage)).toEqual(['user-1'])
    expect((await storage.groups.find(providerId, groupId))?.version).toBe(1)
  })

  test('of an old version of the group writes nothing', async () => {
    const storage = await withUsers(await open())
    await storage.groups.insert(aGroup('staff', { memberIds: ['user-1'] }))
    const change = changing({ kind: 'delta', add: ids, remove: [] })

    expect(await storage.groups.change({ ...change, version: 2 })).toEqual({ outcome: 'conflict' })
    expect(await membersOf(storage)).toEqual(['user-1'])
    expect(await storage.groups.change({ ...change, version: 1 })).toMatchObject({ outcome: 'swapped' })
  })

  test('inserts and removes a large group', async () => {
    const { dialect, written } = recording(await open())
    const storage = await withUsers(dialect)
    written.length = 0

    const inserted = await storage.groups.insert(aGroup('staff', { memberIds: ids }))
    const members = await membersOf(storage)
    const removed = await storage.groups.remove({ providerId, groupId, version: 1, now })

    expect(inserted.outcome).toBe('inserted')
    expect(members).toEqual(ids.toSorted())
    expect(removed).toEqual({ outcome: 'removed' })
    expect((await storage.provisionedUsers.find(providerId, userId('user-1')))?.groups).toEqual([])
    expect(written.length).toBeGreaterThan(3)
    expect(Math.max(...written)).toBeLessThanOrEqual(membersInSlice)
  })

  test('is not lost among concurrent changes of single members', async () => {
    const storage = await withUsers(await open())
    await storage.groups.insert(aGroup('staff'))
    const [first = '', ...others] = ids

    await Promise.all([
      storage.groups.change(changing({ kind: 'delta', add: others, remove: [] })),
      storage.groups.change(changing({ kind: 'delta', add: [first], remove: [] })),
      storage.groups.change(changing({ kind: 'delta', add: [], remove: ['user-2'] })),
    ])

    expect(await membersOf(storage)).toEqual(expect.arrayContaining(ids.filter((id) => id !== 'user-2')))
  })
})

async function withUsers(dialect: SqlDialect): Promise<AdminStorage> {
  const storage = await createSqlStorage({ dialect, issuer })
  const [label = '', ...others] = ids
  await storage.provisionedUsers.insert(aProvisionedUser(label, { userId: userId(label) }))
  await copyRows(dialect, 'mintmark_users', { label, labels: others })
  return storage
}

const changing = (
  members: Parameters<AdminStorage['groups']['change']>[0]['members'],
): Parameters<AdminStorage['groups']['change']>[0] => ({
  providerId,
  groupId,
  version: undefined,
  state: undefined,
  members,
  now,
})

async function membersOf(storage: AdminStorage): Promise<readonly string[]> {
  const members = await storage.groups.membersOf(providerId, [groupId])
  return (members.get(groupId) ?? []).map(({ memberId }) => memberId).toSorted()
}

/** A database that records how many members each statement writes. */
function recording(dialect: SqlDialect): { readonly dialect: SqlDialect; readonly written: number[] } {
  const written: number[] = []
  const note = (statement: string, parameters: readonly unknown[]): void => {
    if (!/^(insert into|delete from) mintmark_group_members/.test(statement)) return
    const lists = parameters.filter((value) => typeof value === 'string' && value.startsWith('['))
    written.push(...lists.map((list) => (JSON.parse(String(list)) as unknown[]).length))
  }
  return {
    written,
    dialect: {
      ...dialect,
      transact: async (steps) => {
        for (const { statement, parameters } of steps) note(statement, parameters)
        return dialect.transact(steps)
      },
    },
  }
}

/** A database that fails after a number of transactions. */
function failing(dialect: SqlDialect): {
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
        if (remaining === 0) throw new StorageUnavailableError('The process is gone')
        remaining -= 1
        return dialect.transact(steps)
      },
    },
  }
}
