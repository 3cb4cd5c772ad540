import { aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { expect, test } from 'vitest'
import { aMigratedSqlite } from './support/migrated-dialects.ts'

test.each([
  { offset: 0, total: 0 },
  { offset: 2, total: 2 },
])('an empty page at offset $offset does not count users that were inserted after it was read', async (page) => {
  const { list, insert, afterNextStatement } = await opened()
  if (page.offset > 0) await insert('first')
  afterNextStatement(() => insert('second', 'third'))

  const outcome = await list(page.offset)

  expect(outcome).toMatchObject({ outcome: 'listed', records: [], total: page.total })
})

/** Opens a storage that calls a function after its next statement, before the result is returned. */
async function opened() {
  const sqlite = await aMigratedSqlite()
  let next: (() => Promise<void>) | undefined
  const dialect: SqlDialect = {
    ...sqlite,
    async all(...call) {
      const rows = await sqlite.all(...call)
      const act = next
      next = undefined
      await act?.()
      return rows
    },
  }
  const { provisionedUsers } = await createSqlStorage({ dialect, issuer: 'https://issuer.example' })
  return {
    list: (offset: number) =>
      provisionedUsers.list({
        providerId: aProvisionedUser('any').providerId,
        filter: undefined,
        sort: undefined,
        page: { kind: 'index', offset, limit: 10 },
      }),
    insert: async (...labels: readonly string[]) => {
      for (const label of labels) await provisionedUsers.insert(aProvisionedUser(label))
    },
    afterNextStatement: (act: () => Promise<void>) => {
      next = act
    },
  }
}
