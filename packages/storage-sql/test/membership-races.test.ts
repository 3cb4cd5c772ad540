import { epochSeconds, groupId, providerId, userId, type AdminStorage } from '@mintmark/storage-interface'
import { type GroupChangeOutcome, type MemberChange } from '@mintmark/storage-interface/stores'
import { aGroup, aProvisionedState, aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { toMariadbDialect } from '@mintmark/storage-sql/mariadb'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import type { Pool } from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { aFolder } from './sqlite-under-test.ts'
import { changedPool } from './support/changed-pool.ts'
import { aMigratedMariadbDatabase } from './support/mariadb-of-the-run.ts'
import { aMigratedDatabase } from './support/postgres-of-the-run.ts'

const issuer = 'https://issuer.example'
const provider = providerId('provider-1')
const now = epochSeconds(1_800_000_000)

describe.for([
  { name: 'SQLite', open: twoOnOneFile },
  { name: 'PostgreSQL', open: async () => (await twoOnPostgres()).dialects },
  { name: 'MariaDB', open: twoOnMariadb },
])('$name, two servers', ({ open }) => {
  test('a user that the provider removes while another request adds them to a group is in no group afterwards (RFC 7643 §4.2)', async () => {
    const dialects = await open()
    const [first, second] = await storagesOf(dialects)
    await first.groups.insert(aGroup('staff'))

    for (let round = 0; round < 40; round += 1) {
      const user = aProvisionedUser(`${round}`)
      await first.provisionedUsers.insert(user)
      const leaving = { providerId: provider, userId: user.userId, version: undefined, now }
      const [joined, left] = await Promise.all([
        change(first, 'staff', { kind: 'delta', add: [user.userId], remove: [] }),
        round % 2 === 0 ? second.provisionedUsers.remove(leaving) : second.provisionedUsers.release(leaving),
      ])
      expect([['swapped', 'memberUnknown'], left.outcome]).toEqual([
        expect.arrayContaining([joined.outcome]),
        'removed',
      ])
    }

    expect(await membersOf(first, 'staff')).toEqual([])
    expect(await dialects[0].all('SELECT * FROM mintmark_group_members', [])).toEqual([])
  })

  test('loses none of a hundred changes of one group, and each advances its version (RFC 7644 §3.5.2)', async () => {
    const [first, second] = await storagesOf(await open())
    const ids = Array.from({ length: 50 }, (_, index) => `${index}`.padStart(2, '0'))
    for (const id of ids) await first.provisionedUsers.insert(aProvisionedUser(id))
    const all = ids.map((id) => `user-${id}`)
    await first.groups.insert(aGroup('staff', { memberIds: all.slice(0, 25) }))

    const changes = await Promise.all(
      all.map((id, index) =>
        change(index % 2 === 0 ? first : second, 'staff', {
          kind: 'delta',
          add: index < 25 ? [] : [id],
          remove: index < 25 ? [id] : [],
        }),
      ),
    )

    expect(new Set(changes.map(({ outcome }) => outcome))).toEqual(new Set(['swapped']))
    expect(await membersOf(first, 'staff')).toEqual(all.slice(25))
    expect((await first.groups.find(provider, groupId('group-staff')))?.version).toBe(51)
  })

  test('leaves the members of one of two concurrent replacements, and applies at most one of two with the same version (RFC 7644 §3.5.2.3)', async () => {
    const [first, second] = await storagesOf(await open())
    const users = ['a', 'b', 'c', 'd'].map((label) => aProvisionedUser(label))
    for (const user of users) await first.provisionedUsers.insert(user)
    const lists = [users.slice(0, 2), users.slice(2)].map((list) => list.map((user) => user.userId))
    await first.groups.insert(aGroup('staff'))

    for (let round = 0; round < 30; round += 1) {
      const version = round % 2 === 0 ? undefined : (await first.groups.find(provider, groupId('group-staff')))?.version
      const changes = await Promise.all(
        lists.map((memberIds, index) =>
          change(index === 0 ? first : second, 'staff', { kind: 'replace', memberIds }, version),
        ),
      )
      const members = await membersOf(first, 'staff')
      expect(lists).toContainEqual(members)
      if (version === undefined) continue
      // A replacement whose members are already in the group changes nothing.
      const winner = changes.findIndex(({ outcome }) => outcome === 'swapped')
      expect([members, changes.filter(({ outcome }) => outcome === 'swapped').length]).toEqual([
        lists[winner] ?? members,
        winner < 0 ? 0 : 1,
      ])
    }
  })

  test('groups that add each other as members, and removals of users who are their members, do not deadlock', async () => {
    const [first, second] = await storagesOf(await open())
    for (const label of ['a', 'b', 'c', 'd']) await first.groups.insert(aGroup(label))

    for (let round = 0; round < 10; round += 1) {
      const users = [aProvisionedUser(`${round}-x`), aProvisionedUser(`${round}-y`)] as const
      for (const user of users) await first.provisionedUsers.insert(user)
      for (const label of ['a', 'b', 'c', 'd']) {
        await change(first, label, { kind: 'replace', memberIds: users.map((user) => user.userId) })
      }
      await Promise.all([
        change(first, 'a', { kind: 'delta', add: ['group-b'], remove: [] }),
        change(second, 'b', { kind: 'delta', add: ['group-a'], remove: [] }),
        ...users.map((user, index) =>
          (index === 0 ? first : second).provisionedUsers.remove({
            providerId: provider,
            userId: user.userId,
            version: undefined,
            now,
          }),
        ),
      ])
      expect([await membersOf(first, 'a'), await membersOf(first, 'b')]).toEqual([['group-b'], ['group-a']])
    }
  })

  test('removals of groups that contain each other, and the creation of a group that contains both, do not deadlock', async () => {
    const [first, second] = await storagesOf(await open())
    const removal = (label: string) => ({
      providerId: provider,
      groupId: groupId(`group-${label}`),
      version: undefined,
      now,
    })

    for (let round = 0; round < 10; round += 1) {
      const [one, other, made] = [`${round}-a`, `${round}-b`, `${round}-c`]
      await first.groups.insert(aGroup(one))
      await first.groups.insert(aGroup(other, { memberIds: [`group-${one}`] }))
      await change(first, one, { kind: 'delta', add: [`group-${other}`], remove: [] })

      const [inserted, ...removed] = await Promise.all([
        first.groups.insert(aGroup(made, { memberIds: [`group-${one}`, `group-${other}`] })),
        first.groups.remove(removal(one)),
        second.groups.remove(removal(other)),
      ])

      expect(removed).toEqual([{ outcome: 'removed' }, { outcome: 'removed' }])
      expect(['inserted', 'memberUnknown']).toContain(inserted.outcome)
      expect(await membersOf(first, made)).toEqual([])
    }
    const query = {
      providerId: provider,
      filter: undefined,
      sort: undefined,
      page: { kind: 'index', offset: 0, limit: 100 },
    } as const
    const remaining = await first.groups.list(query)
    expect(remaining).toMatchObject({
      outcome: 'listed',
      total: remaining.outcome === 'listed' ? remaining.records.length : undefined,
    })
  })

  test('a deactivation that races with a change by the provider is never undone (RFC 7643 §4.1.1)', async () => {
    const [first, second] = await storagesOf(await open())

    for (let round = 0; round < 20; round += 1) {
      const user = aProvisionedUser(`${round}`)
      await first.provisionedUsers.insert(user)
      const key = { providerId: provider, userId: user.userId, version: 1, now }
      await Promise.all([
        first.provisionedUsers.compareAndSwap({ ...key, state: aProvisionedState(`${round}`, { active: false }) }),
        second.users.deactivate(user.userId, now),
        second.provisionedUsers.compareAndSwap({ ...key, state: aProvisionedState(`${round}`, { active: true }) }),
      ])
      const found = await first.provisionedUsers.find(provider, user.userId)
      expect({ active: found?.active, generation: found?.generation }).toEqual({ active: false, generation: 1 })
    }
  })
})

test('on PostgreSQL a user that the provider removes right after adding them to a group is in no group afterwards', async () => {
  const { dialects, pool } = await twoOnPostgres()
  const [storage] = await storagesOf(dialects)
  const user = aProvisionedUser('ada')
  await storage.provisionedUsers.insert(user)
  await storage.groups.insert(aGroup('staff'))
  let removal: Promise<unknown> = Promise.resolve()
  const { dialect, before } = interrupted(pool)
  before('update "mintmark_groups"', async () => {
    removal = storage.provisionedUsers.remove({ providerId: provider, userId: user.userId, version: undefined, now })
    await Promise.race([removal, untilLockIsAwaited(pool)])
  })

  const joined = await change(await createSqlStorage({ dialect, issuer }), 'staff', {
    kind: 'delta',
    add: [user.userId],
    remove: [],
  })
  await removal

  expect(joined.outcome).toBe('swapped')
  expect(await dialects[0].all('SELECT * FROM mintmark_group_members', [])).toEqual([])
  expect((await storage.groups.find(provider, groupId('group-staff')))?.version).toBe(3)
})

test('on PostgreSQL a deactivation does not wait for a transaction that adds the user to a group; a removal does', async () => {
  const { dialects, pool } = await twoOnPostgres()
  const [storage] = await storagesOf(dialects)
  await storage.provisionedUsers.insert(aProvisionedUser('ada'))
  const joining = await pool.connect()
  await joining.query('BEGIN')
  await joining.query(`SELECT user_id FROM mintmark_users WHERE user_id = 'user-ada' FOR KEY SHARE`)

  const state = aProvisionedState('ada', { active: false })
  const change = { providerId: provider, userId: userId('user-ada'), version: 1, state, now }
  expect(await storage.provisionedUsers.compareAndSwap(change)).toMatchObject({
    outcome: 'swapped',
    record: { generation: 1 },
  })
  const removal = storage.provisionedUsers.remove({
    providerId: provider,
    userId: userId('user-ada'),
    version: undefined,
    now,
  })
  await untilLockIsAwaited(pool)
  await joining.query('COMMIT')
  joining.release()

  expect(await removal).toEqual({ outcome: 'removed' })
})

function change(
  storage: AdminStorage,
  label: string,
  members: MemberChange,
  version?: number,
): Promise<GroupChangeOutcome> {
  const change = { providerId: provider, groupId: groupId(`group-${label}`), version, state: undefined, members, now }
  return storage.groups.change(change)
}

async function membersOf(storage: AdminStorage, label: string): Promise<readonly string[] | undefined> {
  const id = groupId(`group-${label}`)
  return (await storage.groups.membersOf(provider, [id])).get(id)?.map(({ memberId }) => memberId)
}

/** Waits until the removal of a user waits for a lock. */
async function untilLockIsAwaited(pool: Pool): Promise<void> {
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE application_name = current_setting('application_name') AND wait_event_type = 'Lock' AND query LIKE 'update "mintmark_users"%'`
  while ((await pool.query(waiting)).rows.length === 0);
}

/** A database where an event happens once, before a statement with a certain beginning is sent. */
function interrupted(pool: Pool) {
  let due: { readonly beginning: string; readonly event: () => Promise<void> } | undefined
  const watched = changedPool(pool, (client) => async (statement) => {
    const now = due !== undefined && statement.text.startsWith(due.beginning) ? due : undefined
    if (now !== undefined) due = undefined
    await now?.event()
    return client.query(statement)
  })
  return {
    dialect: toPostgresDialect(watched),
    before: (beginning: string, event: () => Promise<void>) => void (due = { beginning, event }),
  }
}

type Two<T> = readonly [T, T]

const storagesOf = async ([first, second]: Two<SqlDialect>): Promise<Two<AdminStorage>> => [
  await createSqlStorage({ dialect: first, issuer }),
  await createSqlStorage({ dialect: second, issuer }),
]

async function twoOnOneFile(): Promise<Two<SqlDialect>> {
  const folder = await aFolder()
  const openFile = () => openSqliteDialect(`${folder.path}/test.db`, { migrate: 'on-open', synchronous: 'normal' })
  const dialects: Two<SqlDialect> = [openFile(), openFile()]
  onTestFinished(async () => {
    await Promise.all(dialects.map((dialect) => dialect.close()))
    await folder.remove()
  })
  return dialects
}

async function twoOnMariadb(): Promise<Two<SqlDialect>> {
  const { pools, remove } = await aMigratedMariadbDatabase()
  onTestFinished(remove)
  return [toMariadbDialect(pools[0]), toMariadbDialect(pools[1])]
}

async function twoOnPostgres(): Promise<{ readonly dialects: Two<SqlDialect>; readonly pool: Pool }> {
  const database = await aMigratedDatabase()
  onTestFinished(() => database.remove())
  // The server does not resolve a deadlock in time: two statements that wait for each other time out, and the test fails.
  const open = () => database.pool({ options: `${database.options} -c deadlock_timeout=60s` })
  const pools: Two<Pool> = [open(), open()]
  return {
    pool: pools[0],
    dialects: [toPostgresDialect(pools[0]), toPostgresDialect(pools[1])],
  }
}
