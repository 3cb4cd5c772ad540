import { type AdminStorage, epochSeconds, userId } from '@mintmark/storage-interface'
import { aCodeRecord, aFamilyRecord, aGroup, aJoin, aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { expect, test } from 'vitest'
import { membersInSlice } from '../src/stores/group-members.ts'
import { aMigratedSqlite } from './support/migrated-dialects.ts'

const now = epochSeconds(1_800_000_000)
const { providerId, groupId } = aGroup('staff')
const many = Array.from({ length: membersInSlice + 2 }, (_, index) => `user-${index}`)
const ofStaff = { providerId, groupId, version: undefined, state: undefined, now }

test.each<readonly [string, (storage: AdminStorage) => Promise<unknown>, number, number]>([
  ['finds a group', ({ groups }) => groups.find(providerId, groupId), 1, 0],
  // One finds that no change of the group has to be completed.
  ['reads the members of a small group', ({ groups }) => groups.membersOf(providerId, [groupId]), 2, 0],
  ['finds a user in few groups', (storage) => storage.provisionedUsers.find(providerId, userId('user-1')), 1, 0],
  ['creates a user who had no predecessor', ({ provisionedUsers }) => provisionedUsers.insert(newUser), 1, 0],
  ['writes new users of the host', ({ users }) => users.upsert({ users: [hostUser], now }), 1, 0],
  ['writes no users of the host', ({ users }) => users.upsert({ users: [], now }), 0, 0],
  ['leases deliveries while none is due', ({ deliveries }) => deliveries.lease(lease), 1, 0],
  ['writes a revoked family', ({ families }) => families.insertTombstone(aFamilyRecord(), now), 1, 0],
  // One finds that no change of the group has to be completed.
  [
    'adds a member to a group',
    ({ groups }) => groups.change({ ...ofStaff, members: { kind: 'delta', add: ['user-9'], remove: [] } }),
    1,
    1,
  ],
  // One finds that no change of the group has to be completed, and one that the group is small.
  [
    'replaces the members of a small group',
    ({ groups }) => groups.change({ ...ofStaff, members: { kind: 'replace', memberIds: ['user-1', 'user-9'] } }),
    2,
    1,
  ],
  // One finds that the group is small, and one that it is in few groups.
  ['removes a small group', ({ groups }) => groups.remove(ofStaff), 2, 1],
])('%s with as few statements and transactions as possible', async (_, act, statements, transactions) => {
  const { dialect, counts } = counting(await aMigratedSqlite())
  const storage = await filled(dialect)
  await storage.groups.insert(aGroup('staff', { memberIds: ['user-1', 'user-2', 'user-3'] }))
  Object.assign(counts, { statements: 0, transactions: 0 })

  await act(storage)

  expect(counts).toMatchObject({ statements, transactions })
})

test('changes few members of a large group in one transaction, even if all members are listed', async () => {
  const { dialect, counts } = counting(await aMigratedSqlite())
  const { groups } = await filled(dialect)
  await groups.insert(aGroup('staff', { memberIds: many }))
  counts.transactions = 0

  const outcome = await groups.change({ ...ofStaff, members: { kind: 'replace', memberIds: many.slice(1) } })

  expect(outcome).toMatchObject({ outcome: 'swapped', record: { version: 2 } })
  expect(counts.transactions).toBe(1)
})

// Introspection and userinfo read a status in each request, and each column costs time.
test('reads the status of an access token with one statement of few columns', async () => {
  const { dialect, counts } = counting(await aMigratedSqlite())
  const storage = await filled(dialect)
  const family = aFamilyRecord()
  await storage.families.insert(family)
  Object.assign(counts, { statements: 0, columns: 0 })

  const status = await storage.status.ofAccessToken({ familyId: family.familyId, tokenId: 'jti-1', now })

  expect(status?.family).toEqual(family)
  expect(counts).toMatchObject({ statements: 1, columns: 57 })
})

// For RETURNING, SQLite creates a temporary table each time.
test.each<readonly [string, (storage: AdminStorage) => Promise<unknown>]>([
  ['an insert of a code', ({ codes }) => codes.insert(aCodeRecord())],
  ['an insert of a family', ({ families }) => families.insert(aFamilyRecord())],
  ['a join of a session', ({ sessions }) => sessions.join(aJoin())],
  ['a replay mark', ({ replays }) => replays.markUsed({ purpose: 'dpop_jti', value: '1', expiresAt: now, now })],
])('%s returns no columns on SQLite', async (_, act) => {
  const { dialect, counts } = counting(await aMigratedSqlite())
  const storage = await createSqlStorage({ dialect, issuer: 'https://issuer.example' })
  counts.texts.length = 0

  await act(storage)

  expect(counts.texts.length).toBeGreaterThan(0)
  expect(counts.texts.filter((text) => / returning /i.test(text))).toEqual([])
})

// A page has up to 200 users, and each column of each user costs time.
test('reads a page of users with one statement of few columns', async () => {
  const { dialect, counts } = counting(await aMigratedSqlite())
  const { provisionedUsers } = await filled(dialect)
  Object.assign(counts, { statements: 0, columns: 0 })
  const page = { kind: 'index', offset: 0, limit: 100 } as const

  const list = { providerId, filter: undefined, sort: undefined, page, maxBytes: 10_000_000 }
  expect(await provisionedUsers.list(list)).toMatchObject({ outcome: 'listed', total: many.length })

  expect(counts).toMatchObject({ statements: 1, columns: 11 })
})

const newUser = aProvisionedUser('new', { userId: userId('new') })
const lease = { channel: 'logout', now, until: now, token: 'token', limit: 9, perRecipient: 2, except: [] }
const hostUser = { userId: userId('host-1'), claims: {}, active: true }

/** Opens a storage with users of a provider. */
async function filled(dialect: SqlDialect): Promise<AdminStorage> {
  const storage = await createSqlStorage({ dialect, issuer: 'https://issuer.example' })
  for (const id of many) await storage.provisionedUsers.insert(aProvisionedUser(id, { userId: userId(id) }))
  return storage
}

/** Returns the dialect, the statements and transactions that it has run, and how many columns the first rows had. */
function counting(dialect: SqlDialect) {
  const counts = { statements: 0, transactions: 0, columns: 0, texts: [] as string[] }
  const all: SqlDialect['all'] = async (...call) => {
    counts.statements += 1
    counts.texts.push(call[0])
    const rows = await dialect.all(...call)
    counts.columns += rows[0]?.values.length ?? 0
    return rows
  }
  const transact: SqlDialect['transact'] = (steps) => {
    counts.transactions += 1
    counts.texts.push(...steps.map(({ statement }) => statement))
    return dialect.transact(steps)
  }
  return { dialect: { ...dialect, all, transact }, counts }
}
