import { epochSeconds, userId } from '@mintmark/storage-interface'
import { requireStores } from '@mintmark/storage-interface/stores'
import { expect, it, onTestFinished } from 'vitest'
import { createSqlOAuthStorage, createSqlStorage } from './create-sql-storage.ts'
import { openSqliteDialect } from './sqlite/index.ts'

const issuer = 'https://as.test'

function openDatabase() {
  const dialect = openSqliteDialect(':memory:', { migrate: 'on-open' })
  onTestFinished(() => dialect.close())
  return dialect
}

it('creates each store once, also for a copy of the storage', async () => {
  const storage = await createSqlStorage({ dialect: openDatabase(), issuer })
  const { users } = storage
  const copy = { ...storage, isVolatile: false }

  expect(storage.users).toBe(users)
  expect(copy.users).toBe(users)
  expect(storage.sessions).toBe(copy.sessions)
  expect(() => requireStores(copy, { capability: 'admin', feature: 'the copy' })).not.toThrow()
})

it.each([
  ['createSqlStorage', createSqlStorage],
  ['createSqlOAuthStorage', createSqlOAuthStorage],
])('%s announces the sessions that a store or its copy revokes', async (_, create) => {
  const storage = await create({ dialect: openDatabase(), issuer })
  let announced = 0
  storage.onSessionsRevoked?.(() => (announced += 1))
  const now = epochSeconds(1)

  await storage.users.revokeAccess(userId('user'), now)
  await { ...storage }.sessions.revokeOfUser(userId('user'), 'host', now)

  expect(announced).toBe(2)
})
