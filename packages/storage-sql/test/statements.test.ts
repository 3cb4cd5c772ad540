import type { EventEmitter } from 'node:events'
import { clientId } from '@mintmark/storage-interface'
import {
  aClientRecord,
  aCodeRecord,
  aFamilyRecord,
  aGrantRecord,
  aPresentation,
  aProviderRecord,
  aUser,
} from '@mintmark/storage-interface/fixtures'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { aMigratedDatabase } from './support/postgres-of-the-run.ts'

it('builds each statement once, when it is first needed', async () => {
  const { dialect, built } = countingStatements(openSqliteDialect(':memory:', { migrate: 'on-open' }))
  const storage = await createSqlStorage({ dialect, issuer: 'https://issuer.example' })
  const atStart = built()

  await storage.clients.find(clientId('one'))
  await storage.clients.find(clientId('another'))

  expect(atStart).toBe(0)
  expect(built()).toBe(1)
  await dialect.close()
})

it('PostgreSQL sends the names of the columns of a record once, and not with each result', async () => {
  const database = await aMigratedDatabase()
  onTestFinished(() => database.remove())
  const pool = database.pool({ max: 1 })
  let named = 0
  pool.on('connect', (client) => {
    const { connection } = client as unknown as { connection: EventEmitter }
    connection.on('rowDescription', () => (named += 1))
  })
  const storage = await createSqlStorage({ dialect: toPostgresDialect(pool), issuer: 'https://issuer.example' })
  const [code, grant] = [aCodeRecord(), aGrantRecord()]
  await storage.clients.insert(aClientRecord())
  await storage.users.insert(aUser())
  await storage.grants.insert(grant)
  await storage.codes.insert(code)
  await storage.families.insert(aFamilyRecord())
  await storage.identityProviders.insert(aProviderRecord())
  const use = async () => {
    await storage.clients.find(aClientRecord().clientId)
    await storage.users.find(aUser().userId)
    await storage.grants.findUnrevoked(grant.userId, grant.clientId)
    await storage.codes.consume(code.digest, code.clientId, code.issuedAt)
    await storage.families.rotate(aPresentation('refresh-1', 'refresh-2'))
    await storage.identityProviders.find(aProviderRecord().providerId)
  }
  await use()
  const atFirst = named
  await use()
  const statementsOfReplays = named - atFirst
  await use()

  expect(atFirst).toBeGreaterThanOrEqual(6)
  // The second time, the code is replayed and the refresh token has been rotated, which other statements find out.
  expect(statementsOfReplays).toBeGreaterThan(0)
  expect(named).toBe(atFirst + statementsOfReplays)
})

/** Returns the dialect, and how many statements Kysely has compiled for it. */
function countingStatements(dialect: SqlDialect): { readonly dialect: SqlDialect; readonly built: () => number } {
  let count = 0
  const { kysely } = dialect.engine
  const counting: typeof kysely = {
    ...kysely,
    createQueryCompiler: () => {
      const compiler = kysely.createQueryCompiler()
      return {
        compileQuery: (...query) => {
          count += 1
          return compiler.compileQuery(...query)
        },
      }
    },
  }
  return { dialect: { ...dialect, engine: { ...dialect.engine, kysely: counting } }, built: () => count }
}
