import { aGroup, aProvisionedState, aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { jsonText, type ListQuery } from '@mintmark/storage-interface/stores'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { valueOf } from '../src/row.ts'
import { aFolder } from './sqlite-under-test.ts'

const { providerId } = aProvisionedUser('any')
const size = 131_072

test('SQLite reads small pages on the main thread, and large and distant pages in the thread for long queries', async () => {
  const { list, queries } = await usersOf([100, 100, 100, size, size, size, size, size])

  expect(await list({ offset: 0, limit: 3 })).toEqual(['user-0', 'user-1', 'user-2'])
  expect(queries.splice(0)).toEqual(['lasting: 4 rows'])
  expect(await list({ offset: 3, limit: 10 })).toEqual(['user-3', 'user-4', 'user-5', 'user-6', 'user-7'])
  expect(queries.splice(0)).toEqual(['lasting: 3 rows', 'long: 5 rows'])
  expect(await list({ offset: 10_001, limit: 10 })).toEqual([])
  expect(queries.splice(0)).toEqual(['long: 1 rows'])
  expect(await list({ offset: 10_000, limit: 10 })).toEqual([])
  expect(queries.splice(0)).toEqual(['lasting: 0 rows'])
})

test('SQLite reads a page in the thread if it has as many bytes as a small page may have, or may have no more', async () => {
  const { list, queries } = await usersOf([size, size])

  expect(await list({ offset: 0, limit: 10 })).toEqual(['user-0', 'user-1'])
  expect(queries.splice(0)).toEqual(['lasting: 2 rows', 'long: 2 rows'])
  expect(await list({ offset: 0, limit: 10 }, 2 * size)).toEqual(['user-0', 'user-1'])
  expect(queries.splice(0)).toEqual(['long: 2 rows'])
})

test('a page by cursor on SQLite ends after the row that reaches the maximum of bytes', async () => {
  const { list, queries } = await usersOf([size, size, size, size])
  const page = { kind: 'cursor', limit: 10 } as const

  expect(await list(page, 2 * size + 1)).toEqual(['user-0', 'user-1', 'user-2'])
  expect(queries).toEqual(['lasting: 3 rows', 'long: 4 rows'])
  expect(await list(page, 3 * size + 1)).toEqual(['user-0', 'user-1', 'user-2', 'user-3'])
  expect(await list(page, 2 * size)).toEqual(['user-0', 'user-1'])
})

test('SQLite measures a page by index that is not small, and reads no record if the page is too large', async () => {
  const { list, queries, recordsRead } = await usersOf([size, size, size, size])

  expect(await list({ offset: 0, limit: 10 }, 3 * size)).toBe('too large')
  expect(queries).toEqual(['lasting: 3 rows', 'long: 1 rows'])
  expect(recordsRead).toEqual([3, 0])
  expect(await list({ offset: 0, limit: 4 }, 3 * size)).toBe('too large')
  expect(await list({ offset: 0, limit: 3 }, 3 * size)).toEqual(['user-0', 'user-1', 'user-2'])
  expect(await list({ offset: 1, limit: 3 }, 2 * size + 1)).toEqual(['user-1', 'user-2', 'user-3'])
  expect(await list({ offset: 9, limit: 3 }, size)).toEqual([])
})

test('SQLite does not read all groups of a user who is in many groups on the main thread', async () => {
  const { list, queries, groupsRead, join } = await usersOf([100])

  await join('user-0', 20)
  expect(await list({ offset: 0, limit: 1 })).toEqual(['user-0'])
  expect([queries.splice(0), groupsRead.splice(0)]).toEqual([['lasting: 1 rows'], [20]])

  await join('user-0', 1100)
  expect(await list({ offset: 0, limit: 1 })).toEqual(['user-0'])
  expect([queries, groupsRead]).toEqual([
    ['lasting: 1 rows', 'long: 1 rows'],
    [1049, 1120],
  ])
})

/** Creates users whose resources have these sizes in bytes, and lists them. */
async function usersOf(sizes: readonly number[]) {
  const folder = await aFolder()
  const file = openSqliteDialect(`${folder.path}/pages.db`, { migrate: 'on-open' })
  onTestFinished(async () => {
    await file.close()
    await folder.remove()
  })
  const queries: string[] = []
  const groupsRead: number[] = []
  const recordsRead: number[] = []
  const dialect: SqlDialect = {
    ...file,
    async all(statement, parameters, options) {
      const rows = await file.all(statement, parameters, options)
      if (!statement.includes('octet_length')) return rows
      queries.push(`${options?.lifetime}: ${rows.length} rows`)
      const records = rows.filter((row) => valueOf(row, 'user_id') !== null)
      recordsRead.push(records.length)
      for (const row of records) groupsRead.push((JSON.parse(valueOf(row, 'groups') as string) as unknown[]).length)
      return rows
    },
  }
  const { provisionedUsers, groups } = await createSqlStorage({ dialect, issuer: 'https://issuer.example' })
  for (const [number, bytes] of sizes.entries()) {
    const state = aProvisionedState(`${number}`, { resource: jsonText({ note: 'x'.repeat(bytes - 11) }) })
    await provisionedUsers.insert(aProvisionedUser(`${number}`, { state }))
  }

  async function list(
    page: { kind?: 'index'; offset: number; limit: number } | { kind: 'cursor'; limit: number },
    maxBytes = 10_000_000,
  ): Promise<readonly string[] | 'too large'> {
    const query: ListQuery = {
      providerId,
      filter: undefined,
      sort: undefined,
      page: page.kind === 'cursor' ? { ...page, after: undefined } : { ...page, kind: 'index' },
      maxBytes,
    }
    const outcome = await provisionedUsers.list(query)
    if (outcome.outcome !== 'listed') throw new Error(outcome.outcome)
    expect(outcome.total).toBe(sizes.length)
    return outcome.isTooLarge === true ? 'too large' : outcome.records.map(({ userId }) => userId)
  }

  let joined = 0
  async function join(memberId: string, count: number): Promise<void> {
    const labels = Array.from({ length: count }, (_, number) => `g${joined + number}`)
    joined += count
    await Promise.all(labels.map((label) => groups.insert(aGroup(label, { memberIds: [memberId] }))))
  }
  return { list, queries, groupsRead, recordsRead, join }
}
